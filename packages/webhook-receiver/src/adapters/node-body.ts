/** Reads a Node request and writes the response, using only what Node's types share with those of every framework. */
import { concat, utf8 } from '../bytes.ts';
import type { HeaderSource } from '../headers.ts';
import type { Answer } from '../receive.ts';

/** The part of Node's `IncomingMessage` that is used. */
export interface NodeRequest {
  method?: string | undefined;
  headers: HeaderSource;
  readableEnded: boolean;
  readableDidRead: boolean;
  destroyed: boolean;
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  resume(): unknown;
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/**
 * Reads the body to its end, or until it exceeds the limit. The rest is discarded, so that the sender can read the
 * response.
 */
const readNode = (request: NodeRequest, maxBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const cut = () => reject(new Error('the connection was cut'));
    if (request.destroyed) return cut();
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = () => resolve(concat(chunks));
    request.on('data', (chunk) => {
      if (length > maxBytes) return;
      // A string, if something has called setEncoding.
      const bytes = typeof chunk === 'string' ? utf8(chunk) : chunk;
      chunks.push(bytes);
      length += bytes.length;
      if (length > maxBytes) end();
    });
    request.on('end', end);
    request.on('error', reject);
    // `close` follows every `end`; only the first of the two counts.
    request.on('close', cut);
    // A stream that something has paused does not flow just because it is listened to.
    request.resume();
  });

/** Reads the body, or uses the copy kept by whatever reads it first, as soon as that has all of it. */
export const readOrKept = async (request: NodeRequest, kept: () => unknown, maxBytes: number): Promise<unknown> => {
  const { readableEnded, readableDidRead } = request;
  const bytes = readableEnded ? undefined : await readNode(request, maxBytes);
  // If something has begun to read the body, `bytes` lacks its beginning; it is too long in any case.
  if (bytes && (!readableDidRead || bytes.length > maxBytes)) return bytes;
  try {
    return kept();
  } catch {
    // A platform's getter, which parses: the bytes are gone.
    return undefined;
  }
};

/** Writes the response, unless the user's own time-out has already sent one: Node throws at a second. */
export const answerNode = ({ status, headers, body }: Answer, response: NodeResponse): void => {
  if (!response.headersSent) response.writeHead(status, headers).end(body);
};
