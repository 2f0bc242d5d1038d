/**
 * Finds the bot whose description is nearly that of another: a copy under another name. Two that share most of their
 * words share rare ones too, so at most twenty bots are compared, the newest with each of the rarest words.
 */
import { wordsOf } from '../domain/search.ts';
import type { ListedBots } from './listed-bots.ts';

/** A shorter description says what many bots do. */
const fewestWords = 8;
/** How many of the words, rarest first, lead to how many bots each. */
const [mostWords, mostOfEach] = [4, 5];
/** The share of the words of both that both have. */
const alike = 0.8;

/** The ordinal of the older bot most like this one, if there is one. */
export const textTwin = (bots: ListedBots, ordinal: number): number | undefined => {
  const words = descriptionWords(bots, ordinal);
  if (words.size < fewestWords) return undefined;
  const rarest = [...words]
    .map((word) => ({ word, count: bots.index.countWord(word) }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => a.count - b.count)
    .slice(0, mostWords);
  const among = bots.listed();
  const candidates = new Set<number>();
  for (const { word } of rarest) {
    let left = mostOfEach;
    bots.index.eachWithWord(word, among, (other) => {
      if (other >= ordinal) return true;
      candidates.add(other);
      return (left -= 1) > 0;
    });
  }
  const [best] = [...candidates]
    .map((other) => ({ other, share: sharedBy(words, descriptionWords(bots, other)) }))
    .filter(({ share }) => share >= alike)
    .sort((a, b) => b.share - a.share || a.other - b.other);
  return best?.other;
};

const descriptionWords = (bots: ListedBots, ordinal: number): ReadonlySet<string> =>
  new Set(wordsOf(bots.bot(ordinal).description));

const sharedBy = (some: ReadonlySet<string>, others: ReadonlySet<string>): number => {
  let shared = 0;
  for (const word of some) if (others.has(word)) shared += 1;
  return shared / (some.size + others.size - shared);
};
