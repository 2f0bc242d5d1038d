/**
 * An answer that many requests share: its bytes, its compressed forms and its headers, made once. Compression runs on
 * libuv's threads, one body at a time; until it is done the plain bytes are served.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

export type Encoding = 'identity' | 'gzip' | 'br';

/** What a representation says of itself. `tag` identifies body and headers without regard to encoding. */
export type Description = {
  readonly tag: string;
  readonly changedAtMs: number;
  readonly link?: string;
  readonly total?: number;
};

/** One encoding of a body. `headers` is a flat list for `writeHead`, but for those of the request. */
export type Variant = { readonly etag: string; readonly body: Buffer; readonly headers: readonly string[] };

/** Headers of every answer, errors included. Browsers show a page nothing that is not exposed. */
export const corsHeaders: readonly string[] = [
  ...['Access-Control-Allow-Origin', '*'],
  ...[
    'Access-Control-Expose-Headers',
    'Link, ETag, Last-Modified, X-Total-Count, RateLimit, RateLimit-Policy, Retry-After, Allow, X-Request-Id',
  ],
];

const worthCompressing = 1_024;
const compressors = {
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 6 }),
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
};
const suffixes = { identity: '', gzip: '-gz', br: '-br' } as const;

let queue: Promise<unknown> = Promise.resolve();

/** A body in all its encodings. */
export class Representation {
  /** The second in which it last changed. */
  readonly changedAtSec: number;
  /** Headers that say so, from the second after. */
  readonly dated: readonly string[];
  readonly #identity: Variant;
  readonly #description: Description;
  readonly #variants = new Map<Encoding, Variant | 'pending'>();
  #current = true;

  constructor(body: Buffer, description: Description) {
    this.changedAtSec = Math.floor(description.changedAtMs / 1_000);
    this.dated = ['Last-Modified', new Date(this.changedAtSec * 1_000).toUTCString()];
    this.#description = description;
    this.#identity = this.#variant('identity', body);
  }

  /** The size of the plain body, in bytes. */
  get bytes(): number {
    return this.#identity.body.length;
  }

  /** The form to answer with now. */
  variant(wanted: Encoding): Variant {
    if (wanted === 'identity' || this.bytes < worthCompressing) return this.#identity;
    const found = this.#variants.get(wanted);
    if (found === undefined) this.compress(wanted);
    return found === undefined || found === 'pending' ? this.#identity : found;
  }

  /** Begins to compress. Does nothing when it was begun before, or when the body became old meanwhile. */
  compress(encoding: 'gzip' | 'br'): void {
    if (this.#variants.has(encoding) || this.bytes < worthCompressing) return;
    this.#variants.set(encoding, 'pending');
    queue = queue.then(async () => {
      if (this.#current)
        this.#variants.set(encoding, this.#variant(encoding, await compressors[encoding](this.#identity.body)));
    });
  }

  /** Says that no request will ask for it again. */
  retire(): void {
    this.#current = false;
  }

  #variant(encoding: Encoding, body: Buffer): Variant {
    const { tag, link, total } = this.#description;
    const etag = `"${tag}${suffixes[encoding]}"`;
    const headers = [
      ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)],
      ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
      ...['ETag', etag, 'Cache-Control', 'public, no-cache', 'Vary', 'Accept-Encoding'],
      ...(link === undefined ? [] : ['Link', link]),
      ...(total === undefined ? [] : ['X-Total-Count', String(total)]),
      ...corsHeaders,
    ];
    return { etag, body, headers };
  }
}

const ours = ['br', 'gzip', 'identity'] as const;
const chosen = new Map<string, Encoding>();
const maxChosen = 200;

/** The smallest of our encodings that an `Accept-Encoding` header accepts. */
export const chooseEncoding = (header: string | undefined): Encoding => {
  if (header === undefined || header === '') return 'identity';
  let encoding = chosen.get(header);
  if (encoding === undefined) {
    const accepted = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...ours]);
    encoding = ours.find((name) => accepted.includes(name)) ?? 'identity';
    if (chosen.size >= maxChosen) chosen.clear();
    chosen.set(header, encoding);
  }
  return encoding;
};
