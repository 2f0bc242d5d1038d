/** Adds a showcase post: one status is one post. The operator's blocks hold for it as for bots. */
import * as z from 'zod';
import { newPost, type Post } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { findBlock } from '../domain/block-list.ts';
import { handleOf, parseStatusUrl } from '../domain/links.ts';
import type { ModerationStore, SubmissionRules } from '../store/moderation-store.ts';
import type { PostStore } from '../store/post-store.ts';
import { operation, reading, refined } from './input.ts';
import { closed } from './submit-bot.ts';

type Deps = {
  readonly posts: PostStore;
  readonly moderation: Pick<ModerationStore, 'submissionRules'>;
  readonly ids: Ids;
};

/** Adds a status to the feed. Failures: submissions_closed, submission_blocked, post_exists. */
export const addPost = operation({
  input: ({ social }) => refined(newPost, { url: reading(z.string(), (raw) => parseStatusUrl(raw, social)) }),
  run: async ({ posts, moderation, ids }: Deps, { url: { statusId, url } }): Promise<Post> => {
    const draft = { id: ids.post(), statusId, url };
    for (;;) {
      const rules = await moderation.submissionRules();
      refuseBlocked(rules, handleOf(url));
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

const refuseBlocked = ({ isOpen, blocks }: SubmissionRules, handle: string): void => {
  if (!isOpen) throw closed('posts');
  if (findBlock(blocks, { templateId: null, author: `@${handle}`, text: [handle] }) !== undefined)
    throw new Failure('submission_blocked', 'The operator of this directory does not accept posts by this author.');
};
