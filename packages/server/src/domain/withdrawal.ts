/** Bots that are not listed, and the failures about them. Hidden and pending bots look as if they did not exist. */
import { timestamp } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';

/** Whether a bot is in the lists, or why it is not. */
export const botStates = ['listed', 'hidden', 'removed', 'pending'] as const;
export type BotState = (typeof botStates)[number];

/** Why and when the operator removed a bot. */
export type Removal = { readonly reason: string; readonly atMs?: number };

/** The failure about a bot that the operator removed. */
export const botGone = ({ reason, atMs }: Removal): Failure =>
  new Failure('bot_gone', `This bot was removed: ${reason}`, {
    reason,
    ...(atMs === undefined ? {} : { removedAt: timestamp(atMs) }),
  });

/** The failure about a slug that no listed bot has. */
export const botMissing = (removal: Removal | undefined): Failure =>
  removal === undefined ? botNotFound() : botGone(removal);

/** The failure about a bot that is not public, or never existed. */
export const botNotFound = (): Failure => new Failure('bot_not_found', 'No bot in the directory has this slug.');
