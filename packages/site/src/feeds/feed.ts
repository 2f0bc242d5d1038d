/** What both feeds have in common. */
import type { Bot } from '@bot-directory/contract';
import type { Frame } from '../views.ts';

/** A page of the newest bots, of one category or of all: it begins at `cursor`, and the next one at `next`. */
export type FeedView = {
  readonly bots: readonly Bot[];
  readonly category: string | undefined;
  readonly cursor: string | undefined;
  readonly next: string | undefined;
};

/** The search part of a page's address. */
export const feedQuery = ({ category }: FeedView, cursor: string | undefined): string => {
  const given = Object.entries({ category, cursor }).filter(([, value]) => value !== undefined);
  return given.map(([name, value = ''], i) => `${i === 0 ? '?' : '&'}${name}=${encodeURIComponent(value)}`).join('');
};

/** The feed's name. */
export const feedTitle = (frame: Frame, { category }: FeedView): string =>
  category === undefined ? `${frame.name}: new bots` : `${frame.name}: new ${category} bots`;
