/**
 * The JSON of a list's entries as bytes, in segments of 256 ordinals. Segments are immutable: a change makes a new one,
 * so keeping an old list alive costs only the segments that have changed since.
 */

const slots = 256;
const comma = 0x2c;

/** The bytes of up to 256 entries, newest first, with a comma after each but the last of the list. */
export type Segment = {
  readonly bytes: Buffer;
  readonly count: number;
  /** For each slot, where the JSON of its entry begins and ends; both 0 if there is none. */
  readonly bounds: Uint32Array;
};

const empty: Segment = { bytes: Buffer.alloc(0), count: 0, bounds: new Uint32Array(2 * slots) };

/** New JSON of entries, by ordinal or slot; `undefined` removes one. */
type Changes = ReadonlyMap<number, string | undefined>;

const sizeIn = ({ bounds }: Segment, slot: number): number => (bounds[2 * slot + 1] ?? 0) - (bounds[2 * slot] ?? 0);

const oldestOf = (all: readonly Segment[]): number => all.findIndex(({ count }) => count > 0);

/** A list at one version. */
export class Segments {
  constructor(private readonly all: readonly Segment[] = []) {}

  /** Segments with entries, newest first. */
  newestFirst(): Segment[] {
    return this.all.filter(({ count }) => count > 0).reverse();
  }

  /** The length of an entry's JSON in bytes. */
  length(ordinal: number): number {
    return sizeIn(this.#of(ordinal), ordinal % slots);
  }

  /** An entry's JSON. The bytes are shared. */
  json(ordinal: number): Buffer {
    const { bytes, bounds } = this.#of(ordinal);
    const slot = ordinal % slots;
    return bytes.subarray(bounds[2 * slot], bounds[2 * slot + 1]);
  }

  /** Writes an entry's JSON into `into` and returns its length. */
  copy(ordinal: number, into: Buffer, at: number): number {
    const { bytes, bounds } = this.#of(ordinal);
    const slot = ordinal % slots;
    return bytes.copy(into, at, bounds[2 * slot], bounds[2 * slot + 1]);
  }

  /** The list after changes by ordinal. */
  with(changes: Changes): Segments {
    const all = [...this.all];
    const changed = new Map<number, Map<number, string | undefined>>();
    for (const [ordinal, json] of changes) {
      const index = Math.floor(ordinal / slots);
      const inSegment = changed.get(index);
      if (inSegment === undefined) changed.set(index, new Map([[ordinal % slots, json]]));
      else inSegment.set(ordinal % slots, json);
    }
    for (const [index, inSegment] of changed) {
      while (all.length <= index) all.push(empty);
      all[index] = rebuilt(all[index] ?? empty, inSegment, true);
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

  #of(ordinal: number): Segment {
    return this.all[Math.floor(ordinal / slots)] ?? empty;
  }
}

const rebuilt = (before: Segment, changes: Changes, hasMoreAfter: boolean): Segment => {
  const bounds = new Uint32Array(2 * slots);
  let [length, count] = [0, 0];
  for (let slot = slots - 1; slot >= 0; slot -= 1) {
    const size = changes.has(slot) ? Buffer.byteLength(changes.get(slot) ?? '') : sizeIn(before, slot);
    if (size === 0) continue;
    bounds[2 * slot] = length;
    bounds[2 * slot + 1] = length + size;
    length += size + 1;
    count += 1;
  }
  if (count === 0) return empty;
  // Not from the pool: a dropped segment must not keep the memory of others alive.
  const bytes = Buffer.allocUnsafeSlow(hasMoreAfter ? length : length - 1);
  const made = { bytes, count, bounds };
  for (let slot = slots - 1; slot >= 0; slot -= 1) {
    if (sizeIn(made, slot) === 0) continue;
    const [start = 0, end = 0] = bounds.subarray(2 * slot);
    const json = changes.get(slot);
    if (json !== undefined) bytes.write(json, start);
    else before.bytes.copy(bytes, start, before.bounds[2 * slot], before.bounds[2 * slot + 1]);
    if (end < bytes.length) bytes[end] = comma;
  }
  return made;
};
