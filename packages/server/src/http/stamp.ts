/** What a representation says about the state that it shows, whatever its encoding. */
import type { IncomingMessage } from 'node:http';
import { parseHttpDate } from '../domain/http-date.ts';
import type { Encoding } from './encodings.ts';

/**
 * Equal tags of one URL have equal bodies. `etags`: each encoding is a representation of its own. `dated` is the header
 * with the time of the last change.
 */
export type Stamp = {
  readonly tag: string;
  readonly etags: Readonly<Record<Encoding, string>>;
  readonly changedAtSec: number;
  readonly dated: readonly string[];
};

/** Makes a stamp. */
export const stampOf = (tag: string, changedAtMs: number): Stamp => {
  const changedAtSec = Math.floor(changedAtMs / 1_000);
  return {
    tag,
    etags: { identity: `"${tag}"`, gzip: `"${tag}-gz"`, br: `"${tag}-br"` },
    changedAtSec,
    dated: ['Last-Modified', new Date(changedAtSec * 1_000).toUTCString()],
  };
};

/**
 * The tag of a 304; `undefined` if the client does not have the current state. A copy in another encoding counts. By
 * RFC 9110 §13.2.2 the date counts only when no tag was sent.
 */
export const unchangedTag = (
  asked: IncomingMessage['headers'],
  { etags, changedAtSec }: Stamp,
  isDated: boolean,
): string | undefined => {
  const tags = asked['if-none-match'];
  if (tags === undefined) {
    const since = asked['if-modified-since'];
    const sinceMs = since === undefined || !isDated ? undefined : parseHttpDate(since);
    return sinceMs !== undefined && sinceMs >= changedAtSec * 1_000 ? etags.identity : undefined;
  }
  if (tags === etags.identity || tags === etags.gzip || tags === etags.br) return tags;
  if (tags === '*') return etags.identity;
  const sent = new Set(tags.split(',').map((one) => one.trim().replace(/^W\//, '')));
  return Object.values(etags).find((own) => sent.has(own));
};
