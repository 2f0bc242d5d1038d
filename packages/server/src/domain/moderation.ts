/** What an operator does to bots and posts, and what is left of one that was removed. */
import type { BotState } from './bot.ts';

/** The resulting state, and the states that allow it. A post is never pending. `restore` also approves. */
export const moderations = {
  hide: { to: 'hidden', from: ['listed'] },
  remove: { to: 'removed', from: ['listed', 'hidden', 'pending'] },
  restore: { to: 'listed', from: ['hidden', 'pending'] },
} as const satisfies Record<string, { readonly to: BotState; readonly from: readonly BotState[] }>;
export type Moderation = keyof typeof moderations;

/** Whether a state allows it. */
export const mayFollow = (action: Moderation, state: BotState): boolean =>
  (moderations[action].from as readonly BotState[]).includes(state);

/**
 * What is stored of what was removed. The page of a bot says that it was, and its slug and template stay taken; the
 * status of a post does.
 */
export const keptOfRemoved = {
  bot: [
    'id',
    'slug',
    'template_id',
    'created_at',
    'changed_at',
    'updated_at',
    'event',
    'state',
    'reason',
    'withdrawn_at',
  ],
  post: ['id', 'status_id', 'changed_at', 'state', 'reason', 'withdrawn_at'],
} as const satisfies Record<string, readonly string[]>;
