/** The files that pages request. A file's name changes with its bytes, so that it can be cached forever. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Asset } from '@bot-directory/site';
import { acceptedEncodings, type Encoding } from './encodings.ts';
import type { AnswerRead } from '../http/server.ts';

type Variant = { readonly body: Uint8Array; readonly headers: readonly string[] };

const forEver = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding'];

/** Wraps the reads of the directory: requests for files are answered here. `headers` are set on all of them. */
export const withAssets = (reads: AnswerRead, files: readonly Asset[], headers: readonly string[]): AnswerRead => {
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
  return (req, res, requestId, fail) => answer(req, res, requestId) || reads(req, res, requestId, fail);
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
      ],
    },
  ];
  const compressed = brotli === undefined ? [] : [variant('br', brotli), variant('gzip', gzipSync(body, { level: 9 }))];
  return new Map([variant('identity', body), ...compressed]);
};
