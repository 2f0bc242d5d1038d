/** The result of a list query: which entries, in which order, and their JSON at that time. */
import type { BotSort } from '@bot-directory/contract';
import { cursorOf, type Paging, type Position } from '../domain/listing.ts';
import type { Segments } from './segments.ts';

/** A page, or a whole list. `next` is the cursor of the next page; `total` counts all pages. */
export type Selected = {
  readonly total: number;
  readonly ordinals: Uint32Array;
  readonly next: string | undefined;
  readonly segments: Segments;
};

/** The first `limit` of `rest`: the entries from the page's beginning on, with at least one more if there is one. */
export const selectEntries = ({
  rest,
  total,
  listing: { limit = rest.length, sort },
  position,
  segments,
}: {
  rest: readonly number[];
  total: number;
  listing: Pick<Paging, 'limit'> & { readonly sort: BotSort };
  position: (ordinal: number) => Position;
  segments: Segments;
}): Selected => {
  const ordinals = Uint32Array.from(rest.slice(0, limit));
  const last = ordinals.at(-1);
  const next = rest.length > ordinals.length && last !== undefined ? cursorOf(position(last), sort) : undefined;
  return { total, ordinals, next, segments };
};

const [open, close, comma] = [0x5b, 0x5d, 0x2c];

/** The length of the entries as a JSON array. */
export const arrayLength = ({ ordinals, segments }: Selected): number => {
  let length = ordinals.length === 0 ? 2 : ordinals.length + 1;
  for (const ordinal of ordinals) length += segments.length(ordinal);
  return length;
};

/** A piece of the JSON array: the entries from one index to another. */
export const arrayPiece = ({ ordinals, segments }: Selected, from: number, to: number): Buffer => {
  const [isFirst, isLast] = [from === 0, to >= ordinals.length];
  let length = (isFirst ? 1 : 0) + (isLast ? 1 : 0);
  const end = Math.min(to, ordinals.length);
  for (let i = from; i < end; i += 1) length += segments.length(ordinals[i] ?? 0) + (i + 1 < ordinals.length ? 1 : 0);
  // Not from the pool: if it is kept, it would keep the pool alive.
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  if (isFirst) at = bytes.writeUInt8(open, at);
  for (let i = from; i < end; i += 1) {
    at += segments.copy(ordinals[i] ?? 0, bytes, at);
    if (i + 1 < ordinals.length) at = bytes.writeUInt8(comma, at);
  }
  if (isLast) bytes.writeUInt8(close, at);
  return bytes;
};
