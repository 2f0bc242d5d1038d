/** An author: a handle on the social platform, in its owner's spelling. */
import { limits } from '@bot-directory/contract';

import type { Brand } from '../base/brand.ts';
import { accepted, type Parsed, refused } from '../base/parsed.ts';

/** A handle with its `@`, such as `@ada_l`. */
export type Author = Brand<string, 'Author'>;

const authorPattern = new RegExp(`^@[A-Za-z0-9_]{1,${limits.authorLength}}$`);

const isAuthor = (text: string): text is Author => authorPattern.test(text);

/** Parses a handle, given with or without its `@`. */
export function parseAuthor(raw: string): Parsed<Author> {
  const author = raw.startsWith('@') ? raw : `@${raw}`;
  if (isAuthor(author)) return accepted(author);
  return refused(`A handle has 1 to ${limits.authorLength} letters, digits or underscores, with or without an @.`);
}
