/** The files that pages request. A file's name changes with its bytes, so that it can be cached for ever. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Asset } from '@bot-directory/site';
import { acceptedEncodings, type Encoding } from './encodings.ts';
import type { AnswerRead } from './reads.ts';
import { corsHeaders } from './representation.ts';

/** Wraps the reads of the directory: requests for files are answered here. */
export type WithAssets = (reads: AnswerRead) => AnswerRead;

type Variant = { readonly body: Uint8Array; readonly headers: readonly string[] };

const forEver = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding'];

/** The assets of a site. `headers` are set on all of them. */
export const createAssets = (files: readonly Asset[], headers: readonly string[]): WithAssets => {
  const byPath = new Map(files.map((asset) => [asset.path, variantsOf(asset, headers)]));
  const answer = (req: IncomingMessage, res: ServerResponse, requestId: string): boolean => {
    if ((req.method !== 'GET' && req.method !== 'HEAD') || req.url?.startsWith('/assets/') !== true) return false;
    const variants = byPath.get(req.url.split('?', 1)[0] ?? '');
    const encoding = acceptedEncodings(req.headers['accept-encoding']).find((name) => variants?.has(name) === true);
    const variant = variants?.get(encoding ?? 'identity');
    if (variant === undefined) return false;
    res.writeHead(200, [...variant.headers, 'X-Request-Id', requestId]);
    res.end(req.method === 'HEAD' ? undefined : variant.body);
    return true;
  };
  return (reads) => (req, res, requestId, fail) => answer(req, res, requestId) || reads(req, res, requestId, fail);
};

const variantsOf = ({ type, body, brotli }: Asset, headers: readonly string[]): ReadonlyMap<Encoding, Variant> => {
  const variant = (encoding: Encoding, bytes: Uint8Array): [Encoding, Variant] => [
    encoding,
    {
      body: bytes,
      headers: [
        ...['Content-Type', type, 'Content-Length', String(bytes.length)],
        ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
        ...forEver,
        ...headers,
        ...corsHeaders,
      ],
    },
  ];
  const compressed = brotli === undefined ? [] : [variant('br', brotli), variant('gzip', gzipSync(body, { level: 9 }))];
  return new Map([variant('identity', body), ...compressed]);
};
