/** Reports a showcase post to the operator, as `reportBot` reports a bot. */
import * as z from 'zod';
import { limits, newPostReport, newReport, type Post } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { displayText } from '../domain/display-text.ts';
import { parseStatusUrl } from '../domain/links.ts';
import type { ReportStore } from '../store/moderation-store.ts';
import type { PostStore } from '../store/post-store.ts';
import { operation, reading, refined } from './input.ts';

type Deps = { readonly posts: PostStore; readonly reports: ReportStore; readonly ids: Ids };

/** Saves a report of the post of a status, and returns that post. Failure: post_not_found. */
export const reportPost = operation({
  input: ({ social }) =>
    refined(newPostReport, {
      ...newReport.shape,
      url: reading(z.string(), (raw) => parseStatusUrl(raw, social)),
    }),
  run: async ({ posts, reports, ids }: Deps, { url: { statusId }, reason, text }): Promise<Post> => {
    const post = await posts.ofStatus(statusId);
    if (post === undefined) throw missing();
    const details = displayText(text ?? '', limits.reportLength);
    const outcome = await reports.add({ id: ids.report(), subject: post.id, reason, text: details });
    if (outcome !== 'kept') throw missing();
    return post;
  },
});

const missing = (): Failure => new Failure('post_not_found', 'This post is not in the feed.');
