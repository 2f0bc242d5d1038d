/**
 * A list as gzip, made of segments that are compressed one by one. Each is raw deflate that ends in a full flush, so
 * that any sequence of them is one stream. A change costs only the compression of its own segment. The CRC-32 of the
 * stream is joined from those of the segments.
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { createLimiter } from '../base/limiter.ts';

/** The compressed form of a segment, the CRC-32 and the length of the segment, and the shift of that length. */
type Part = { readonly bytes: Buffer; readonly crc: number; readonly length: number; readonly shift: number };

const deflate = promisify(deflateRaw);
const onThreads = createLimiter({ atOnce: 2, waiting: Infinity });
/** The compressed form of a segment lives as long as the segment. */
const parts = new WeakMap<Buffer, Part | Promise<void>>();

/** How many of these segments are not compressed yet. */
export const countUncompressed = (segments: readonly Buffer[]): number =>
  segments.reduce((count, segment) => count + (isDeflated(parts.get(segment)) ? 0 : 1), 0);

const isDeflated = (part: Part | Promise<void> | undefined): part is Part =>
  part !== undefined && !(part instanceof Promise);

/** Compresses the segments that are not compressed yet. Resolves when all are. */
export const deflateAll = async (segments: readonly Buffer[]): Promise<void> => {
  await Promise.all(segments.map(deflateOnce));
};

const deflateOnce = async (segment: Buffer): Promise<void> => {
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

const deflateOne = async (segment: Buffer): Promise<void> => {
  const deflated = await deflate(segment, { level: 6, finishFlush: constants.Z_FULL_FLUSH });
  // A copy: zlib may return a view of more memory than it needs.
  const own = Buffer.allocUnsafeSlow(deflated.length);
  deflated.copy(own);
  parts.set(segment, { bytes: own, crc: crc32(segment), shift: shiftOf(segment.length), length: segment.length });
};

/** RFC 1952 §2.3: deflate, no name, no time, unknown system. */
const header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/** Up to 255 bytes as a stored block (RFC 1951 §3.2.4). */
const stored = (bytes: Buffer, isLast: boolean): number[] => {
  const length = bytes.length;
  const rest = 0xff - bytes.length;
  return [isLast ? 1 : 0, length, 0, rest, 0xff, ...bytes];
};
const open = Buffer.of(0x5b);
const close = Buffer.of(0x5d);

/** The end of a stream: its last bytes, and the CRC-32 and length of all. */
const endOf = (last: Buffer, { crc, length }: Pick<Part, 'crc' | 'length'>): Buffer => {
  const end = Buffer.from([...stored(last, true), ...new Array<number>(8).fill(0)]);
  end.writeUInt32LE(crc, end.length - 8);
  end.writeUInt32LE(length % 2 ** 32, end.length - 4);
  return end;
};

/** The gzip stream of a JSON array whose segments are all compressed; `undefined` if one is not. */
export const gzipOf = (segments: readonly Buffer[]): Buffer[] | undefined => {
  let crc = crc32(open);
  let length = 2;
  const body: Buffer[] = [];
  for (const segment of segments) {
    const part = parts.get(segment);
    if (!isDeflated(part)) return undefined;
    body.push(part.bytes);
    crc = joinCrc(crc, part.crc, part.shift);
    length += part.length;
  }
  const end = endOf(close, { crc: crc32(close, crc), length });
  return [Buffer.from([...header, ...stored(open, false)]), ...body, end];
};

/**
 * A CRC is a polynomial over GF(2) modulo the one of RFC 1952. A part followed by `n` more bytes is multiplied by
 * x^(8n), so joining costs one multiplication per part.
 */
const modulus = 0xedb8_8320;
const one = 0x8000_0000;

/** The product of two polynomials; the highest bit is the coefficient of x^0. */
const multiply = (a: number, b: number): number => {
  let product = 0;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= b;
    b = b & 1 ? (b >>> 1) ^ modulus : b >>> 1;
  }
  return product >>> 0;
};

/** x^(2^k) for k = 0 … 31. */
const powers: readonly number[] = (() => {
  const list = [one >>> 1];
  while (list.length < 32) {
    const last = list.at(-1) ?? one;
    list.push(multiply(last, last));
  }
  return list;
})();

/** x^(8 × bytes): the factor for a CRC that is followed by so many bytes. */
export const shiftOf = (bytes: number): number => {
  let shift = one;
  let k = 3;
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(powers[k] ?? one, shift);
    // The powers repeat: x^(2^32) is x again.
    k = (k + 1) % 32;
  }
  return shift;
};

/** The CRC of two consecutive parts; `shift` is that of the second part's length. */
export const joinCrc = (first: number, second: number, shift: number): number =>
  (multiply(shift, first) ^ second) >>> 0;
