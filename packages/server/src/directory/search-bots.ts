/**
 * A search as people and agents need it: what matches, or with one typing error forgiven if nothing does, and what may
 * have been meant if little does.
 */
import type { Bot } from '@bot-directory/contract';
import { searchWords } from '../domain/search.ts';
import { botsOf, type Correction, type ListedBots } from './listed-bots.ts';
import type { Listing } from './listing.ts';

/** With fewer results, a typing error is likely. */
const fewResults = 3;

/** What was searched in the end, and a page of what it found. */
export type Search = {
  readonly listing: Listing;
  readonly q: string;
  readonly suggestion: Correction | undefined;
  readonly bots: readonly Bot[];
  readonly total: number;
  readonly next: string | undefined;
};

/** Searches. `q` is the listing's words as they were typed. */
export const searchBots = async (bots: ListedBots, listing: Listing, q: string): Promise<Search> => {
  const selected = await bots.select(listing);
  const { total, next } = selected;
  const isLittle = listing.words.length > 0 && total < fewResults;
  const suggestion = isLittle ? bots.correctionOf(listing, q, total) : undefined;
  if (suggestion === undefined || total > 0) return { listing, q, suggestion, bots: botsOf(selected), total, next };
  const corrected = await searchBots(bots, { ...listing, words: searchWords(suggestion.q) }, suggestion.q);
  return { ...corrected, suggestion: undefined };
};
