/** What the operator blocks from submission: templates, authors, and phrases in a name, description or handle. */
import { limits } from '@bot-directory/contract';
import { accepted, type Parsed, refused } from '../base/parsed.ts';
import { parseAuthor, isTemplateId, type TemplateId } from './links.ts';
import { phraseMatcher, searchPhrase } from './search.ts';

/** What a block matches. */
export const blockKinds = ['template', 'author', 'words'] as const;
export type BlockKind = (typeof blockKinds)[number];

/** A block. `value`: a template id, a handle, or words, the last of which may end in `*`. */
export type Block = { readonly kind: BlockKind; readonly value: string };

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
  const phrase = searchPhrase(value) ?? '';
  const words = phrase.trim() + (phrase.endsWith(' ') ? '' : '*');
  return phrase === '' || words.length > limits.queryLength
    ? refused(`Words to block have a letter or digit and at most ${limits.queryLength} characters.`)
    : accepted({ kind, value: words });
};

/**
 * The first block that matches, if any. Handles are compared without regard to case, words as the search compares them.
 */
export const findBlock = (blocks: readonly Block[], subject: BlockSubject): Block | undefined => {
  // Finding the words of a text takes longer than everything else that a submit does with it.
  if (blocks.length === 0) return undefined;
  const author = subject.author?.toLowerCase();
  const hasPhrase = phraseMatcher(subject.text);
  return blocks.find(({ kind, value }) => {
    if (kind === 'template') return value === subject.templateId;
    if (kind === 'author') return value.toLowerCase() === author;
    return hasPhrase(value);
  });
};
