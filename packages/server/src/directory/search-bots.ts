/**
 * A search as people and agents need it: what matches, or else with one typing error forgiven, or else with fewer
 * words; and what may have been meant if little matches.
 */
import { limits } from '@bot-directory/contract';
import { firstWords, partsOf, searchWords, sentenceOf } from '../domain/search.ts';
import type { Selected } from './collection.ts';
import type { Correction, ListedBots } from './listed-bots.ts';
import type { Listing } from './listing.ts';

/** With fewer results, a typing error is likely. */
const fewResults = 3;

/** What was searched in the end, without which words of what was typed, and a page of what it found. */
export type Search = {
  readonly listing: Listing;
  readonly q: string;
  readonly leftOut: readonly string[];
  readonly suggestion: Correction | undefined;
  readonly selected: Selected;
};

/** Searches. `typed` is a text whose first words the listing has. */
export const searchBots = async (bots: ListedBots, listing: Listing, typed: string): Promise<Search> => {
  const { words, beyond } = sentenceOf(typed);
  const q = firstWords(typed);
  const selected = await bots.select(listing);
  const isLittle = listing.words.length > 0 && selected.total < fewResults;
  const suggestion = isLittle ? bots.correctionOf(listing, q, selected.total) : undefined;
  const exact = { listing, q, leftOut: beyond, suggestion, selected };
  if (selected.total > 0 || listing.words.length === 0) return exact;
  const other = async (text: string, leftOut: readonly string[]): Promise<Search> => {
    const meant = { ...listing, words: searchWords(text) };
    return { listing: meant, q: text, leftOut, suggestion: undefined, selected: await bots.select(meant) };
  };
  if (suggestion !== undefined) return other(suggestion.q, beyond);
  const parts = partsOf(words);
  const { found, leftOut } = await bots.wordsTogether(listing, parts.slice(0, limits.queryWords));
  return found.length === 0
    ? exact
    : other(found.join(' '), [...leftOut, ...parts.slice(limits.queryWords), ...beyond]);
};
