/** Finds the bots that resemble one: related ones, those whose name or author is or looks the same, and copies. */
import type { Bot } from '@bot-directory/contract';
import { isDisguised } from '../domain/look-alike.ts';
import { wordsOf } from '../domain/search.ts';
import type { ListedBots } from './listed-bots.ts';
import { eachBitDown } from './ordinals.ts';
import type { Look } from './word-index.ts';

const mostRelated = 3;
const mostNamesakes = 2;
/** How many of the newest bots that share something are compared with a bot; there may be very many. */
const mostCandidates = 60;

/** How alike two bots are: integrations and the author say most, then categories, then the words of the name. */
const likeness = (one: Bot, other: Bot): number =>
  3 * shared(one.integrations, other.integrations) +
  3 * (one.author !== null && one.author.toLowerCase() === other.author?.toLowerCase() ? 1 : 0) +
  2 * shared(one.categories, other.categories) +
  shared(wordsOf(one.name), wordsOf(other.name));

const shared = (some: readonly string[], others: readonly string[]): number => {
  const known = new Set(others);
  return [...new Set(some)].filter((text) => known.has(text)).length;
};

/**
 * The ordinals of up to three bots similar to one, the most alike first, equally similar ones newest first. Bots that
 * share no integration, category or author are not similar.
 */
export const related = (bots: ListedBots, ordinal: number): number[] => {
  const bot = bots.bot(ordinal);
  const candidates = new Set<number>();
  for (const bits of bots.index.alike(bot, bots.listed().length)) {
    const most = candidates.size + mostCandidates;
    eachBitDown(bits, (other) => candidates.add(other).size < most);
  }
  candidates.delete(ordinal);
  return [...candidates]
    .map((other) => ({ other, score: likeness(bot, bots.bot(other)) }))
    .sort((a, b) => b.score - a.score || b.other - a.other)
    .slice(0, mostRelated)
    .map(({ other }) => other);
};

/** Returns the ordinals of the oldest bots that had a bot's name, or one that looks the same, before it did. */
export const namesakes = (bots: ListedBots, ordinal: number): number[] => {
  const { name } = bots.bot(ordinal);
  if (nameWords(name) === '') return [];
  const equal = bots.index.words
    .namesakes(name, bots.listed(), mostCandidates)
    .filter((other) => other < ordinal && nameWords(bots.bot(other).name) === nameWords(name));
  return [...new Set([...equal, ...imitated(bots, ordinal)])].sort((a, b) => a - b).slice(0, mostNamesakes);
};

/** The ordinals of the oldest bots whose names a name in disguise looks like, or that look like it in disguise. */
const imitated = (bots: ListedBots, ordinal: number): number[] => {
  const { name } = bots.bot(ordinal);
  const looks: readonly Look[] = isDisguised(name) ? ['name', 'disguise'] : ['disguise'];
  return looks
    .flatMap((look) => bots.index.words.lookLike(look, name, bots.listed(), mostNamesakes))
    .filter((other) => other < ordinal)
    .sort((a, b) => a - b);
};

/** The part of a bot that imitates another's, and whose. */
export type Imitation<Of> = { readonly part: 'name' | 'author' | 'text'; readonly of: Of };

/**
 * Returns what of a new bot imitates an older one, and the ordinal of that: its name in disguise, its author's handle,
 * or its text. A handle counts once, for the author's first bot, since honest ones look alike too.
 */
export const imitation = (bots: ListedBots, ordinal: number): Imitation<number> | undefined => {
  const [named] = imitated(bots, ordinal);
  if (named !== undefined) return { part: 'name', of: named };
  const { author } = bots.bot(ordinal);
  if (author !== null) {
    const [first = ordinal] = bots.index.words.lookLike('author', author, bots.listed(), 1);
    if (first < ordinal && !bots.index.hasOlder(author, ordinal, bots.listed())) return { part: 'author', of: first };
  }
  const twin = textTwin(bots, ordinal);
  return twin === undefined ? undefined : { part: 'text', of: twin };
};

/** A shorter description says what many bots do. */
const fewestWords = 8;
/** How many words are looked up, rarest first, and how many bots with each are compared. */
const mostWords = 4;
const mostOfEach = 5;
/** The share of their words that two descriptions have in common: of bots of one name, and of others. */
const alike = 0.8;
const equal = 1;

/**
 * Returns the ordinal of the older bot whose description is most like that of one, if it may deceive: it has nearly
 * the same words under the same name, or the same words under another, and is not by the same author. Bots of a family
 * differ in both. Two that share most of their words share rare ones too, so at most twenty bots are compared, the
 * newest with each of the rarest words.
 */
export const textTwin = (bots: ListedBots, ordinal: number): number | undefined => {
  const { name, author, description } = bots.bot(ordinal);
  const words = new Set(wordsOf(description));
  const needed = (older: Bot): number => {
    if (author !== null && author.toLowerCase() === older.author?.toLowerCase()) return Infinity;
    if (nameWords(older.name) === nameWords(name)) return alike;
    return words.size < fewestWords ? Infinity : equal;
  };
  const rarest = [...words]
    .map((word) => ({ word, count: bots.index.words.countDescribed(word) }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => a.count - b.count)
    .slice(0, mostWords);
  const among = bots.listed();
  const candidates = new Set<number>();
  for (const { word } of rarest) {
    let left = mostOfEach;
    bots.index.words.eachDescribed(word, among, (other) => {
      if (other >= ordinal) return true;
      candidates.add(other);
      return (left -= 1) > 0;
    });
  }
  let best: { readonly other: number; readonly share: number } | undefined;
  for (const other of [...candidates].sort((a, b) => a - b)) {
    const older = bots.bot(other);
    const least = needed(older);
    if (least === Infinity) continue;
    const share = sharedBy(words, new Set(wordsOf(older.description)));
    if (share >= least && share > (best?.share ?? 0)) best = { other, share };
  }
  return best?.other;
};

const nameWords = (name: string): string => wordsOf(name).join(' ');

const sharedBy = (some: ReadonlySet<string>, others: ReadonlySet<string>): number => {
  let shared = 0;
  for (const word of some) if (others.has(word)) shared += 1;
  return shared / (some.size + others.size - shared);
};
