/**
 * Which encodings a client accepts, in the order in which we prefer them; and compression on libuv's threads, piece by
 * piece, one body after the other.
 */
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { BoundedCache } from '../base/bounded-cache.ts';
import { createLimiter } from '../base/limiter.ts';

export type Encoding = 'identity' | 'gzip' | 'br';

const ours = ['br', 'gzip', 'identity'] as const;
const onlyPlain: readonly Encoding[] = ['identity'];
const remembered = new BoundedCache<readonly Encoding[]>({ max: 200 });
const maxRememberedLength = 100;

/** Our encodings that an `Accept-Encoding` header accepts, smallest result first. The last is always identity. */
export const acceptedEncodings = (header: string | undefined): readonly Encoding[] => {
  if (header === undefined || header === '') return onlyPlain;
  const known = remembered.get(header);
  if (known !== undefined) return known;
  const named = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...ours]);
  const accepted = ours.filter((name) => name === 'identity' || named.includes(name));
  if (header.length <= maxRememberedLength) remembered.set(header, accepted);
  return accepted;
};

const chunkSize = 65_536;
/** Small bodies do not wait for large ones. */
const lanes = {
  small: createLimiter({ atOnce: 2, waiting: 200 }),
  large: createLimiter({ atOnce: 1, waiting: 8 }),
};
const largeBytes = 262_144;

/** What to compress. `isWanted` is called repeatedly; when it returns false, compression is abandoned. */
export type Compression = {
  readonly encoding: 'gzip' | 'br';
  readonly bytes: number;
  readonly pieces: () => Iterable<Buffer>;
  readonly isWanted: () => boolean;
};

/** The compressed body; `undefined` if it was abandoned, or if too many wait already. */
export const compress = (compression: Compression): Promise<readonly Buffer[] | undefined> =>
  lanes[compression.bytes < largeBytes ? 'small' : 'large'](() => run(compression)) ?? Promise.resolve(undefined);

const run = async ({ encoding, bytes, pieces, isWanted }: Compression): Promise<readonly Buffer[] | undefined> => {
  if (!isWanted()) return undefined;
  const compressor =
    encoding === 'gzip'
      ? createGzip({ level: 6, chunkSize })
      : createBrotliCompress({
          chunkSize,
          params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes },
        });
  const made: Buffer[] = [];
  let sentBytes = 0;
  await pipeline(
    function* () {
      for (const piece of pieces()) {
        if (!isWanted()) return;
        sentBytes += piece.length;
        yield piece;
      }
    },
    compressor,
    async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) made.push(chunk);
    },
  );
  // Abandoned half-way.
  return sentBytes === bytes ? made : undefined;
};
