/**
 * The JSON of a list's entries as bytes, in segments of 256 ordinals. Segments are immutable: a change makes a new one,
 * so keeping an old list alive costs only the segments that have changed since.
 */
import { countUncompressed, deflateAll, gzipOf } from './segmented-gzip.ts';

/** How many ordinals a segment covers. */
const perSegment = 256;
const openByte = 0x5b;
const closeByte = 0x5d;
const comma = 0x2c;
const newline = 0x0a;
const open = Buffer.of(openByte);
const close = Buffer.of(closeByte);

/** The bytes of up to 256 entries, newest first, with a comma after each but the last of the list. */
type Segment = {
  readonly bytes: Buffer;
  readonly count: number;
  /** For each entry, by its index in the segment, where its JSON begins and ends; both 0 if there is none. */
  readonly bounds: Uint32Array;
};

const empty: Segment = { bytes: Buffer.alloc(0), count: 0, bounds: new Uint32Array(2 * perSegment) };

/** New JSON of entries, by ordinal or by index in a segment; `undefined` removes one. */
type Changes = ReadonlyMap<number, string | undefined>;

const sizeIn = ({ bounds }: Segment, index: number): number => (bounds[2 * index + 1] ?? 0) - (bounds[2 * index] ?? 0);

const oldestOf = (all: readonly Segment[]): number => all.findIndex(({ count }) => count > 0);

/** A list at one version. */
export class Segments {
  constructor(private readonly all: readonly Segment[] = []) {}

  /** The whole list as a JSON array, newest first. The pieces are shared. */
  pieces(): Buffer[] {
    return [open, ...this.#newestFirst(), close];
  }

  /** The whole list as gzip; `undefined` while a segment is not compressed. */
  gzip(): Buffer[] | undefined {
    return gzipOf(this.#newestFirst());
  }

  /** How many segments are not compressed yet. */
  countUncompressed(): number {
    return countUncompressed(this.#newestFirst());
  }

  /** Compresses the segments that are not compressed yet. */
  deflate(): Promise<void> {
    return deflateAll(this.#newestFirst());
  }

  /** The length of these entries as a JSON array. */
  arrayLength(ordinals: Uint32Array): number {
    let length = ordinals.length === 0 ? 2 : ordinals.length + 1;
    for (const ordinal of ordinals) length += this.#length(ordinal);
    return length;
  }

  /** A piece of the JSON array of these entries: those from one index to another. */
  arrayPiece(ordinals: Uint32Array, from: number, to: number): Buffer {
    const isFirst = from === 0;
    const isLast = to >= ordinals.length;
    let length = (isFirst ? 1 : 0) + (isLast ? 1 : 0);
    const end = Math.min(to, ordinals.length);
    for (let i = from; i < end; i += 1) length += this.#length(ordinals[i] ?? 0) + (i + 1 < ordinals.length ? 1 : 0);
    // Not from the pool: if it is kept, it would keep the pool alive.
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    if (isFirst) at = bytes.writeUInt8(openByte, at);
    for (let i = from; i < end; i += 1) {
      at += this.#copy(ordinals[i] ?? 0, bytes, at);
      if (i + 1 < ordinals.length) at = bytes.writeUInt8(comma, at);
    }
    if (isLast) bytes.writeUInt8(closeByte, at);
    return bytes;
  }

  /** The length of these entries as lines. */
  linesLength(ordinals: Uint32Array): number {
    return ordinals.length === 0 ? 0 : this.arrayLength(ordinals) - 1;
  }

  /** These entries, each as a line with its end. */
  lines(ordinals: Uint32Array): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.linesLength(ordinals));
    let at = 0;
    for (const ordinal of ordinals) {
      at += this.#copy(ordinal, bytes, at);
      at = bytes.writeUInt8(newline, at);
    }
    return bytes;
  }

  /** An entry's JSON. The bytes are shared. */
  json(ordinal: number): Buffer {
    const { bytes, bounds } = this.#of(ordinal);
    const index = ordinal % perSegment;
    return bytes.subarray(bounds[2 * index], bounds[2 * index + 1]);
  }

  /** An entry's JSON, copied into memory of its own. */
  copyOfJson(ordinal: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#length(ordinal));
    this.#copy(ordinal, bytes, 0);
    return bytes;
  }

  /** An entry, parsed. */
  parsed(ordinal: number): unknown {
    return JSON.parse(this.json(ordinal).toString());
  }

  /** The list after changes by ordinal. */
  with(changes: Changes): Segments {
    const all = [...this.all];
    const changed = new Map<number, Map<number, string | undefined>>();
    for (const [ordinal, json] of changes) {
      const segment = Math.floor(ordinal / perSegment);
      const inSegment = changed.get(segment);
      if (inSegment === undefined) changed.set(segment, new Map([[ordinal % perSegment, json]]));
      else inSegment.set(ordinal % perSegment, json);
    }
    for (const [segment, inSegment] of changed) {
      while (all.length <= segment) all.push(empty);
      all[segment] = rebuilt(all[segment] ?? empty, inSegment, true);
    }
    // Only the list's last entry has no comma after it, and the oldest segment with entries may be another than before.
    const oldest = oldestOf(all);
    for (const index of new Set([oldestOf(this.all), oldest])) {
      const segment = all[index];
      if (segment === undefined || segment.count === 0) continue;
      const hasMoreAfter = index !== oldest;
      if ((segment.bytes.at(-1) === comma) !== hasMoreAfter) all[index] = rebuilt(segment, new Map(), hasMoreAfter);
    }
    return new Segments(all);
  }

  #newestFirst(): Buffer[] {
    return this.all.flatMap(({ count, bytes }) => (count > 0 ? [bytes] : [])).reverse();
  }

  #of(ordinal: number): Segment {
    return this.all[Math.floor(ordinal / perSegment)] ?? empty;
  }

  #length(ordinal: number): number {
    return sizeIn(this.#of(ordinal), ordinal % perSegment);
  }

  /** Writes an entry's JSON into `into` and returns its length. */
  #copy(ordinal: number, into: Buffer, at: number): number {
    const { bytes, bounds } = this.#of(ordinal);
    const index = ordinal % perSegment;
    return bytes.copy(into, at, bounds[2 * index], bounds[2 * index + 1]);
  }
}

const rebuilt = (before: Segment, changes: Changes, hasMoreAfter: boolean): Segment => {
  const bounds = new Uint32Array(2 * perSegment);
  let length = 0;
  let count = 0;
  for (let index = perSegment - 1; index >= 0; index -= 1) {
    const size = changes.has(index) ? Buffer.byteLength(changes.get(index) ?? '') : sizeIn(before, index);
    if (size === 0) continue;
    bounds[2 * index] = length;
    bounds[2 * index + 1] = length + size;
    length += size + 1;
    count += 1;
  }
  if (count === 0) return empty;
  // Not from the pool: a dropped segment must not keep the memory of others alive.
  const bytes = Buffer.allocUnsafeSlow(hasMoreAfter ? length : length - 1);
  const made = { bytes, count, bounds };
  for (let index = perSegment - 1; index >= 0; index -= 1) {
    if (sizeIn(made, index) === 0) continue;
    const start = bounds[2 * index] ?? 0;
    const end = bounds[2 * index + 1] ?? 0;
    const json = changes.get(index);
    if (json !== undefined) bytes.write(json, start);
    else before.bytes.copy(bytes, start, before.bounds[2 * index], before.bounds[2 * index + 1]);
    if (end < bytes.length) bytes[end] = comma;
  }
  return made;
};
