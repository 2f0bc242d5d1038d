/** Bots that are not listed, and what is said of them. Hidden and pending ones are as if they were not there. */
import { Failure } from '../base/failure.ts';

/** Whether a bot is in the lists, and why it is not. */
export const botStates = ['listed', 'hidden', 'removed', 'pending'] as const;
export type BotState = (typeof botStates)[number];

/** The answer about a bot that the operator removed. */
export const botGone = (reason: string): Failure =>
  new Failure('bot_gone', `This bot was removed: ${reason}`, { reason });

/** The answer about a slug that no listed bot has. */
export const botMissing = (removalReason: string | undefined): Failure =>
  removalReason === undefined ? botNotFound() : botGone(removalReason);

/** The answer about a bot that nobody may see, or that never was. */
export const botNotFound = (): Failure => new Failure('bot_not_found', 'No bot in the directory has this slug.');
