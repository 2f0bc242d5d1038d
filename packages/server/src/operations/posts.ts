/**
 * What is done with showcase posts: one is added, if its status has no post yet, or reported. The operator's blocks
 * apply to posts as to bots.
 */
import * as z from 'zod';
import { limits, newPost, newPostReport, newReport, type Post } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { findBlock } from '../domain/block-list.ts';
import { displayText } from '../domain/display-text.ts';
import { handleOf, parseStatusUrl } from '../domain/links.ts';
import type { ModerationStore, SubmissionRules } from '../store/moderation/moderation-store.ts';
import type { NoticeStore } from '../store/reports/notice-store.ts';
import { isSaved, type ReportStore } from '../store/reports/report-store.ts';
import type { PostStore } from '../store/posts/post-store.ts';
import { operation, reading, refined, type InputRules } from './input.ts';
import { closed } from './submit-bot.ts';

type Deps = {
  readonly posts: PostStore;
  readonly moderation: Pick<ModerationStore, 'submissionRules'>;
  readonly notices: Pick<NoticeStore, 'countRefused'>;
  readonly reports: Pick<ReportStore, 'add'>;
  readonly ids: Ids;
};

const status = ({ social }: InputRules) => reading(z.string(), (raw) => parseStatusUrl(raw, social));

/** Adds a status to the feed. Failures: submissions_closed, submission_blocked, post_exists. */
export const addPost = operation({
  input: (rules) => refined(newPost, { url: status(rules) }),
  run: async ({ posts, moderation, notices, ids }: Deps, { url: { statusId, url } }, { client }): Promise<Post> => {
    const draft = { id: ids.post(), statusId, url, client };
    for (;;) {
      const rules = await moderation.submissionRules();
      refuseBlocked(rules, handleOf(url), notices);
      const addition = await posts.add(draft, rules.blocksVersion);
      if (addition.outcome === 'closed') throw closed('posts');
      // The operator changed the blocks meanwhile: check again.
      if (addition.outcome === 'outdated') continue;
      const { outcome, post } = addition;
      if (outcome === 'exists') throw new Failure('post_exists', 'This post is already in the feed.', post);
      return post;
    }
  },
});

const refuseBlocked = ({ isOpen, blocks }: SubmissionRules, handle: string, notices: Deps['notices']): void => {
  if (!isOpen) throw closed('posts');
  if (findBlock(blocks, { templateId: null, author: `@${handle}`, text: [handle] }) === undefined) return;
  notices.countRefused();
  throw new Failure('submission_blocked', 'The operator of this directory does not accept posts by this author.');
};

/**
 * Reports the post of a status to the operator, as `reportBot` reports a bot, and returns that post. Failure:
 * post_not_found.
 */
export const reportPost = operation({
  input: (rules) => refined(newPostReport, { ...newReport.shape, url: status(rules) }),
  run: async ({ posts, reports, ids }: Deps, { url: { statusId }, reason, text }, { client }): Promise<Post> => {
    const post = await posts.ofStatus(statusId);
    if (post === undefined) throw missing();
    const details = displayText(text ?? '', limits.reportLength);
    const outcome = await reports.add({ id: ids.report(), subject: post.id, reason, text: details, network: client });
    if (!isSaved(outcome)) throw missing();
    return post;
  },
});

const missing = (): Failure => new Failure('post_not_found', 'This post is not in the feed.');
