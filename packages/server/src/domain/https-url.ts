/**
 * The first check of any URL that a caller sends, on its raw text: the WHATWG parser strips tabs and line breaks, turns
 * backslashes into slashes and resolves dot segments, so other spellings could pass for the documented one.
 */
import { limits } from '@bot-directory/contract';

import { accepted, type Parsed, refused } from '../base/parsed.ts';

/** The raw parts of an https URL, neither decoded nor resolved. `authority` is `host[:port]` in lower case. */
export type HttpsUrl = { readonly authority: string; readonly path: string };

const parts = /^https:\/\/([^/?#]+)([^?#]*)/i;

/** Splits an https URL of bounded length that has no credentials, white space, control characters or backslashes. */
export function readHttpsUrl(raw: string): Parsed<HttpsUrl> {
  if (raw.length > limits.urlLength) return refused(`A URL is at most ${limits.urlLength} characters long.`);
  if (/[\s\p{Cc}\\]/u.test(raw)) return refused('A URL holds no white space, control character or backslash.');
  const [, authority, path] = parts.exec(raw) ?? [];
  if (authority === undefined || path === undefined) return refused('The URL must begin with https:// and a host.');
  if (authority.includes('@')) return refused('The URL must not hold a user name or password.');
  return accepted({ authority: authority.toLowerCase(), path });
}
