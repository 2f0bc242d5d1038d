/**
 * Request bodies: at most 32 KB, before and after inflating. A body is refused at once, before the rest of it arrives;
 * `abandonBody` then closes the connection in such a way that the response still arrives.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { RequestHandler } from 'express';
import { limits } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import { closeGently } from './connections.ts';

const inflaters = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) } as const;

const tooLarge = (): Failure => new Failure('body_too_large', 'The body may have at most 32 KB.');
const unreadable = (): Failure => new Failure('unreadable_json', 'The body is not JSON in UTF-8.');
const tooDeep = (): Failure =>
  new Failure('invalid_request', 'The body is nested too deeply.', {
    errors: [{ pointer: '', detail: `must have at most ${limits.bodyDepth} levels of arrays and objects` }],
  });
const unsupported = (): Failure =>
  new Failure(
    'unsupported_media_type',
    'Send UTF-8 JSON, plain or as gzip, deflate or br, with the header Content-Type: application/json.',
  );

/**
 * Reads JSON into `req.body`, which the contract's schema checks. `isOptional`: without a body it is `{}`, whatever the
 * `Content-Type`, which many clients always send.
 */
export const jsonBody =
  (isOptional: boolean): RequestHandler =>
  async (req, res, next) => {
    req.body = await readJson(req, res, isOptional ? {} : undefined);
    next();
  };

/** Reads JSON. `absent`: what a request without a body stands for, if it needs none. */
export const readJson = async (req: IncomingMessage, res: ServerResponse, absent?: object): Promise<unknown> => {
  if (absent !== undefined && isWithoutBody(req)) return absent;
  const { 'content-type': type, 'transfer-encoding': chunked } = req.headers;
  // Of an HTTP/2 request without a body, a proxy may make chunks that turn out to be none.
  if (absent === undefined || chunked === undefined) requireJson(type);
  const bytes = await readBody(req, res);
  if (absent !== undefined && bytes.length === 0) return absent;
  requireJson(type);
  return parse(utf8(bytes));
};

/** Whether a request says that it is a form of a page. */
export const isForm = ({ headers }: IncomingMessage): boolean => {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
};

/** Reads a form of a page into `req.body`, as URLSearchParams. */
export const formBody: RequestHandler = async (req, res, next) => {
  if (!isForm(req)) throw new Failure('unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.');
  req.body = new URLSearchParams(utf8(await readBody(req, res)));
  next();
};

/** Reads the body and inflates it. Rejects with the failure to respond with, as early as it is known. */
const readBody = async (req: IncomingMessage, res: ServerResponse): Promise<Buffer> => {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && !isInflatable(encoding)) throw unsupported();
  if (Number(req.headers['content-length'] ?? 0) > limits.bodyBytes) throw tooLarge();
  if (expectsContinue(req)) res.writeContinue();
  const bytes = await collect(req);
  if (encoding === 'identity' || bytes.length === 0) return bytes;
  return inflaters[encoding](bytes, { maxOutputLength: limits.bodyBytes }).catch((error: unknown) => {
    throw error instanceof RangeError ? tooLarge() : unreadable();
  });
};

/** Closes the connection after this response, without waiting for the rest of the request. */
export const abandonBody = (res: ServerResponse): void => {
  const { req } = res;
  const isSmall = Number(req.headers['content-length'] ?? Infinity) <= limits.bodyBytes && !expectsContinue(req);
  if (!req.complete && !isSmall && hasBody(req)) closeAfter(res);
};

/** Makes this response the last of its connection. */
export const closeAfter = (res: ServerResponse): void => {
  const { req } = res;
  res.shouldKeepAlive = false;
  // Node calls this when the last response of a connection has been written.
  req.socket.destroySoon = () => {
    closeGently(req.socket);
  };
};

/** Whether a request has a body, which may be empty. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;

/** Whether a request says that it has no body, or one of no bytes. */
const isWithoutBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** A client of HTTP/1.0 would take the 100 for the response. */
const expectsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion !== '1.0' && /^100-continue$/i.test(headers.expect ?? '');

const isInflatable = (encoding: string): encoding is keyof typeof inflaters => Object.hasOwn(inflaters, encoding);

const collect = (req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limits.bodyBytes) return void chunks.push(chunk);
      req.off('data', onData);
      reject(tooLarge());
    };
    req
      .on('data', onData)
      .once('end', () => resolve(Buffer.concat(chunks)))
      .on('error', () => reject(unreadable()))
      .once('close', () => {
        // `close` also follows a complete request, for which making a failure would only cost a stack trace.
        if (!req.complete) reject(unreadable());
      });
  });

const requireJson = (header = ''): void => {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (!/^application\/(.+\+)?json$/.test(type) || !['utf-8', 'utf8', undefined].includes(charset?.replaceAll('"', '')))
    throw unsupported();
};

const decoder = new TextDecoder('utf-8', { fatal: true });

const utf8 = (bytes: Buffer): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw unreadable();
  }
};

const parse = (text: string): unknown => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unreadable();
  }
  if (isDeeper(body, limits.bodyDepth)) throw tooDeep();
  return body;
};

/** Whether a value has more levels. Code that walks a body by recursion would fail at some depth. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));
