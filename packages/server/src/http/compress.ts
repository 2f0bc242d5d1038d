/** Compresses bodies on libuv's threads, piece by piece, one body after the other. */
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { createLimiter } from '../base/limiter.ts';

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
