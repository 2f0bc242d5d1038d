/** What the operator blocks from submission: templates, authors, and phrases in a name, description or handle. */
import { limits } from '@bot-directory/contract';
import { accepted, type Parsed, refused } from '../base/parsed.ts';
import { formerlyFolded } from './folding.ts';
import { parseAuthor, isTemplateId, type TemplateId } from './links.ts';
import { isDisguised, skeleton } from './look-alike.ts';
import { phraseMatcher, searchPhrase } from './search.ts';

/** What a block matches. */
export const blockKinds = ['template', 'author', 'words'] as const;
export type BlockKind = (typeof blockKinds)[number];

/**
 * A block. `value`: a template id, a handle, or words, the last of which may end in `*`. `isFormer`: an earlier release
 * folded the words, and they are compared as it did.
 */
export type Block = { readonly kind: BlockKind; readonly value: string; readonly isFormer?: boolean };

/**
 * The parts of a bot or post that a block can match. `text`: a bot's name and description, once known, or a post's
 * handle.
 */
export type BlockSubject = {
  readonly templateId: TemplateId | null;
  readonly author: string | null;
  readonly text: readonly string[];
};

/** Parses a block as the operator writes it. Two that match the same are equal. */
export const parseBlock = (kind: BlockKind, raw: string): Parsed<Block> => {
  const value = raw.trim();
  if (kind === 'author') {
    const author = parseAuthor(value);
    return author.ok ? accepted({ kind, value: author.value.toLowerCase() }) : author;
  }
  if (kind === 'template') {
    return isTemplateId(value)
      ? accepted({ kind, value })
      : refused('A template is blocked by its id, the last part of its link.');
  }
  const words = blockWords(searchPhrase(value) ?? '');
  return words === '' || words.length > limits.queryLength
    ? refused(`Words to block have a letter or digit and at most ${limits.queryLength} characters.`)
    : accepted({ kind, value: words });
};

const blockWords = (phrase: string): string => (phrase === '' ? '' : phrase.trim() + (phrase.endsWith(' ') ? '' : '*'));

/** Whether a stored block is the one that the operator means by `raw`, however an earlier release spelled it. */
export const isSameBlock = (stored: Block, raw: string): boolean => {
  const [own, meant] = [stored.value, raw].map((value) => parseBlock(stored.kind, value));
  if (own?.ok !== true || meant?.ok !== true) return false;
  const isFormer = stored.isFormer === true && stored.value === blockWords(searchPhrase(raw, formerlyFolded) ?? '');
  return isFormer || own.value.value === meant.value.value;
};

/**
 * How the operator's words match texts: as the search compares them, or as they look where a text is disguised.
 * `isFormer`: as an earlier release compared them.
 */
export const wordsMatcher = (texts: readonly string[]): ((words: string, isFormer?: boolean) => boolean) => {
  const has = phraseMatcher(texts);
  const had = phraseMatcher(texts, formerlyFolded);
  const looks = phraseMatcher(texts.filter(isDisguised), skeleton);
  return (words, isFormer = false) => has(words) || looks(words) || (isFormer && had(words));
};

/** The first block that matches, if any. Handles, which have only ASCII, are compared without regard to case. */
export const findBlock = (blocks: readonly Block[], subject: BlockSubject): Block | undefined => {
  // Finding the words of a text takes longer than everything else that a submit does with it.
  if (blocks.length === 0) return undefined;
  const author = subject.author?.toLowerCase();
  const hasWords = wordsMatcher(subject.text);
  return blocks.find(({ kind, value, isFormer }) => {
    if (kind === 'template') return value === subject.templateId;
    if (kind === 'author') return value.toLowerCase() === author;
    return hasWords(value, isFormer);
  });
};
