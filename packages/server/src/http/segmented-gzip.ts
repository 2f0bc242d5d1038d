/**
 * A list as gzip, made of segments that are compressed one by one. Each is raw deflate that ends in a full flush, so
 * that any sequence of them is one stream. A change costs only the compression of its own segment.
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { createLimiter } from '../base/limiter.ts';
import { joinCrc, shiftOf } from '../domain/crc32.ts';
import type { Segment } from '../store/segments.ts';

type Part = { readonly bytes: Buffer; readonly crc: number; readonly shift: number; readonly length: number };

const deflate = promisify(deflateRaw);
const onThreads = createLimiter({ atOnce: 2, waiting: Infinity });
/** Lives as long as its segment. */
const parts = new WeakMap<Segment, Part | Promise<void>>();

/** How many of these segments are not compressed yet. */
export const countMissing = (segments: readonly Segment[]): number =>
  segments.reduce((count, segment) => count + (isDeflated(parts.get(segment)) ? 0 : 1), 0);

const isDeflated = (part: Part | Promise<void> | undefined): part is Part =>
  part !== undefined && !(part instanceof Promise);

/** Compresses the segments that are not compressed yet. Resolves when all are. */
export const deflateAll = async (segments: readonly Segment[]): Promise<void> => {
  await Promise.all(segments.map(deflateOnce));
};

const deflateOnce = async (segment: Segment): Promise<void> => {
  const known = parts.get(segment);
  if (known !== undefined) return isDeflated(known) ? undefined : known;
  const made = onThreads(() => deflateOne(segment));
  if (made === undefined) return;
  parts.set(segment, made);
  try {
    await made;
  } catch (error) {
    parts.delete(segment);
    throw error;
  }
};

const deflateOne = async (segment: Segment): Promise<void> => {
  const { bytes } = segment;
  const deflated = await deflate(bytes, { level: 6, finishFlush: constants.Z_FULL_FLUSH });
  // A copy: zlib may return a view of more memory than it needs.
  const own = Buffer.allocUnsafeSlow(deflated.length);
  deflated.copy(own);
  parts.set(segment, { bytes: own, crc: crc32(bytes), shift: shiftOf(bytes.length), length: bytes.length });
};

/** RFC 1952 §2.3: deflate, no name, no time, unknown system. */
const header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/** A byte as a stored block (RFC 1951 §3.2.4). */
const stored = (byte: number, isLast: boolean): number[] => [isLast ? 1 : 0, 1, 0, 0xfe, 0xff, byte];
const [open, close] = [0x5b, 0x5d];

/** The gzip stream of a JSON array whose segments are all compressed; `undefined` if one is not. */
export const gzipOf = (segments: readonly Segment[]): Buffer[] | undefined => {
  let [crc, length] = [crc32(Buffer.of(open)), 2];
  const body: Buffer[] = [];
  for (const segment of segments) {
    const part = parts.get(segment);
    if (!isDeflated(part)) return undefined;
    body.push(part.bytes);
    crc = joinCrc(crc, part.crc, part.shift);
    length += part.length;
  }
  const end = Buffer.from([...stored(close, true), ...new Array<number>(8).fill(0)]);
  end.writeUInt32LE(crc32(Buffer.of(close), crc), 6);
  end.writeUInt32LE(length % 2 ** 32, 10);
  return [Buffer.from([...header, ...stored(open, false)]), ...body, end];
};
