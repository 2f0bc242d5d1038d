/** What a representation says of the state that it shows, without regard to its encoding. */
import type { IncomingMessage } from 'node:http';
import { parseHttpDate } from '../domain/http-date.ts';

/** Equal tags of one URL have equal bodies. `dated` is the header that says when it last changed. */
export type Stamp = { readonly tag: string; readonly changedAtSec: number; readonly dated: readonly string[] };

/** Makes it. */
export const stampOf = (tag: string, changedAtMs: number): Stamp => {
  const changedAtSec = Math.floor(changedAtMs / 1_000);
  return { tag, changedAtSec, dated: ['Last-Modified', new Date(changedAtSec * 1_000).toUTCString()] };
};

/** The endings of tags: each encoding is a representation of its own. */
export const suffixes = { identity: '', gzip: '-gz', br: '-br' } as const;
const endings = Object.values(suffixes);

/**
 * The tag to say 304 with; `undefined` for one who does not have what is there now. Whoever has it in another encoding has
 * it. By RFC 9110 §13.2.2 the date counts only when no tag was sent.
 */
export const unchangedTag = (
  asked: IncomingMessage['headers'],
  { tag, changedAtSec }: Stamp,
  isDated: boolean,
): string | undefined => {
  const tags = asked['if-none-match'];
  if (tags === undefined) {
    const sinceMs = parseHttpDate(asked['if-modified-since'] ?? '');
    return sinceMs !== undefined && isDated && sinceMs >= changedAtSec * 1_000 ? `"${tag}"` : undefined;
  }
  for (const ending of endings) {
    const own = `"${tag}${ending}"`;
    if (tags === own) return own;
  }
  if (tags === '*') return `"${tag}"`;
  const sent = new Set(tags.split(',').map((one) => one.trim().replace(/^W\//, '')));
  return endings.map((ending) => `"${tag}${ending}"`).find((own) => sent.has(own));
};
