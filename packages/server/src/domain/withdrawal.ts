/** Bots that are not listed, and what is said of them. Hidden and pending ones are as if they were not there. */
import { timestamp } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';

/** Whether a bot is in the lists, and why it is not. */
export const botStates = ['listed', 'hidden', 'removed', 'pending'] as const;
export type BotState = (typeof botStates)[number];

/** Why and when the operator removed a bot. */
export type Removal = { readonly reason: string; readonly atMs?: number };

/** The answer about a bot that the operator removed. */
export const botGone = ({ reason, atMs }: Removal): Failure =>
  new Failure('bot_gone', `This bot was removed: ${reason}`, {
    reason,
    ...(atMs === undefined ? {} : { removedAt: timestamp(atMs) }),
  });

/** The answer about a slug that no listed bot has. */
export const botMissing = (removal: Removal | undefined): Failure =>
  removal === undefined ? botNotFound() : botGone(removal);

/** The answer about a bot that nobody may see, or that never was. */
export const botNotFound = (): Failure => new Failure('bot_not_found', 'No bot in the directory has this slug.');
