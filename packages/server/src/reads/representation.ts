/**
 * A response shared by many requests: its bytes, its compressed forms and its headers, made once. It is compressed on
 * libuv's threads; until that is done, the plain bytes are served. A body is a sequence of pieces, of which only small
 * ones are joined.
 */
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { BoundedCache } from '../base/bounded-cache.ts';
import { parseHttpDate } from '../base/http-date.ts';
import { createLimiter } from '../base/limiter.ts';
import { headerLine, headOf, type Head } from '../http/node-internals.ts';

export type Encoding = 'identity' | 'gzip' | 'br';

/**
 * ETags and Last-Modified of a state. Equal tags of one URL have equal bodies. `etags`: each encoding is a
 * representation of its own. `dated` is a line of the head: the time of the last change.
 */
export type Validators = {
  readonly tag: string;
  readonly etags: Readonly<Record<Encoding, string>>;
  readonly changedAtSec: number;
  readonly dated: string;
};

export const validatorsOf = (tag: string, changedAtMs: number): Validators => {
  const changedAtSec = Math.floor(changedAtMs / 1_000);
  return {
    tag,
    etags: { identity: `"${tag}"`, gzip: `"${tag}-gz"`, br: `"${tag}-br"` },
    changedAtSec,
    dated: headerLine('Last-Modified', new Date(changedAtSec * 1_000).toUTCString()),
  };
};

/**
 * The tag of a 304; `undefined` if the client does not have the current state. A copy in another encoding counts. By
 * RFC 9110 §13.2.2 the date counts only when no tag was sent.
 */
export const unchangedTag = (
  asked: IncomingMessage['headers'],
  { etags, changedAtSec }: Validators,
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

/** A body. `pieces` returns the same bytes each time; `heldBytes` is what keeping it costs. */
export type Body = {
  readonly length: number;
  readonly heldBytes: number;
  readonly pieces: () => Iterable<Buffer>;
};

/** The request headers that choose between the representations of a URL. */
export type Vary = 'Accept-Encoding' | 'Accept, Accept-Encoding';

/** Metadata of a representation, besides its validators. `headers` is a flat list of names and values. */
export type Description = {
  /** @default 200 */
  readonly status?: 200 | 404;
  readonly vary?: Vary;
  readonly contentType?: string;
  readonly link?: string | undefined;
  readonly total?: number;
  readonly headers?: readonly string[];
};

/** One encoding of a body. */
export type Variant = {
  readonly etag: string;
  readonly length: number;
  readonly head: Head;
  readonly pieces: () => Iterable<Buffer>;
};

/** A response in all its encodings. */
export type Representation = {
  readonly validators: Validators;
  /** What keeping it costs now, in bytes. */
  readonly heldBytes: number;
  /** The variant for a client that accepts these encodings. */
  variant(accepted: readonly Encoding[]): Variant | Promise<Variant>;
  /** Called when no request will use it again. */
  retire(): void;
};

/** A body of at least this many bytes is compressed, unless it is a picture that already is. */
const worthCompressing = 1_024;
const isPacked = ({ contentType = '' }: Description): boolean => /^image\/(?!svg)/.test(contentType);

const smallBytes = 1_048_576;

/** A body of existing bytes. */
export const bodyOf = (bytes: Buffer): Body => ({
  length: bytes.length,
  heldBytes: bytes.length,
  pieces: () => [bytes],
});

/** The variant of an encoding. */
export const variantOf = (
  encoding: Encoding,
  { validators, description }: { validators: Validators; description: Description },
  { length, pieces }: Omit<Body, 'heldBytes'>,
): Variant => {
  const { contentType = 'application/json; charset=utf-8', link, total, headers = [] } = description;
  const { status = 200, vary = 'Accept-Encoding' } = description;
  const etag = validators.etags[encoding];
  return {
    etag,
    length,
    pieces,
    head: headOf(status, [
      'Content-Type',
      contentType,
      'Content-Length',
      String(length),
      ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
      'ETag',
      etag,
      'Cache-Control',
      'public, no-cache',
      'Vary',
      vary,
      ...(link === undefined ? [] : ['Link', link]),
      ...(total === undefined ? [] : ['X-Total-Count', String(total)]),
      ...headers,
    ]),
  };
};

/** A body that is compressed as a whole, when a client accepts that. */
export class PlainRepresentation implements Representation {
  heldBytes: number;
  readonly #identity: Variant;
  readonly #isWorthIt: boolean;
  readonly #variants = new Map<Encoding, Variant | 'pending'>();
  #isWanted = true;

  constructor(
    readonly validators: Validators,
    private readonly body: Body,
    readonly description: Description,
    private readonly onError: (error: unknown) => void,
  ) {
    this.heldBytes = body.heldBytes;
    this.#identity = variantOf('identity', this, body);
    this.#isWorthIt = body.length >= worthCompressing && !isPacked(description);
  }

  variant([wanted = 'identity']: readonly Encoding[]): Variant {
    if (wanted === 'identity' || !this.#isWorthIt) return this.#identity;
    const found = this.#variants.get(wanted);
    if (found === undefined) this.#compress(wanted);
    return found === undefined || found === 'pending' ? this.#identity : found;
  }

  retire(): void {
    this.#isWanted = false;
  }

  #compress(encoding: 'gzip' | 'br'): void {
    this.#variants.set(encoding, 'pending');
    const { length: bytes, pieces } = this.body;
    compress({ encoding, bytes, pieces, isWanted: () => this.#isWanted }).then((made) => {
      // Too much was in progress: the next request tries again.
      if (made === undefined) this.#variants.delete(encoding);
      else {
        const length = lengthOf(made);
        const pieces = joinSmall(made);
        this.heldBytes += length;
        this.#variants.set(encoding, variantOf(encoding, this, { length, pieces: () => pieces }));
      }
    }, this.onError);
  }
}

/**
 * The pieces of a small body as one, because each piece is a write of its own. A large body is not copied: clients that
 * read slowly keep it in memory.
 */
export const joinSmall = (pieces: readonly Buffer[]): readonly Buffer[] =>
  pieces.length > 1 && lengthOf(pieces) <= smallBytes ? [Buffer.concat(pieces)] : pieces;

/** The total length of buffers. */
export const lengthOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** In the order in which we prefer them. */
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
