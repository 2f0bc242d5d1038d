/** What both feeds have in common. */
import type { Bot } from '@bot-directory/contract';
import type { Frame } from '../views.ts';

/** The newest bots, of one category or of all. */
export type FeedView = {
  readonly bots: readonly Bot[];
  readonly category: string | undefined;
};

/** The feed's name. */
export const feedTitle = (frame: Frame, { category }: FeedView): string =>
  category === undefined ? `${frame.name}: new bots` : `${frame.name}: new ${category} bots`;
