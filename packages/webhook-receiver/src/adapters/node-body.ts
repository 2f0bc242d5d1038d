/**
 * Reads a Node request and writes the response, using only what Node's types share with those of every framework:
 * Node's own server, Express, Fastify, and NestJS on either.
 */
import type { HeaderSource } from '../headers.ts';
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';

type NodeChunk = Uint8Array | string;

/** The part of Node's `IncomingMessage` that is used. */
export interface NodeRequest extends AsyncIterable<NodeChunk> {
  method?: string | undefined;
  headers: HeaderSource;
  readableEnded: boolean;
  readableDidRead: boolean;
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<NodeChunk>;
  resume(): unknown;
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/** The part of Fastify's request that is used. */
export interface FastifyRequest {
  raw: NodeRequest;
  body?: unknown;
  rawBody?: unknown;
}

/** The part of Fastify's reply that is used. */
export interface FastifyReply {
  raw: NodeResponse;
  code(status: number): { headers(values: Record<string, string>): { send(body: string): unknown } };
}

/**
 * Reads the body to its end, or until it exceeds the limit. The rest is discarded, so that the sender can read the
 * response.
 */
const readNode = async (request: NodeRequest, maxBytes: number): Promise<Blob> => {
  // Strings, if something has called setEncoding: a Blob takes both.
  const chunks: NodeChunk[] = [];
  let length = 0;
  // Ended by its own destroy, a request takes the connection with it. Old streams, which a hook may put in its place,
  // have no `iterator`.
  for await (const chunk of request.iterator?.({ destroyOnReturn: false }) ?? request) {
    chunks.push(chunk);
    if ((length += chunk.length) > maxBytes) break;
  }
  request.resume();
  return new Blob(chunks);
};

/** Reads the body, or uses the copy kept by whatever reads it first, as soon as that has all of it. */
export const readOrKept = async (request: NodeRequest, kept: () => unknown, maxBytes: number): Promise<unknown> => {
  const { readableEnded, readableDidRead } = request;
  const found = readableEnded ? undefined : await readNode(request, maxBytes);
  // If something has begun to read the body, its beginning is missing; it is too long in any case.
  if (found && (!readableDidRead || found.size > maxBytes)) return found.arrayBuffer();
  try {
    return kept();
  } catch {
    // A platform's getter, which parses: the bytes are gone.
    return undefined;
  }
};

/** Returns the value if it is a request, or another stream, of Node. */
export const nodeRequest = (value: unknown): NodeRequest | undefined => {
  const request = Object(value) as Partial<NodeRequest>;
  return request.resume && (request as NodeRequest);
};

/** Finds Node's request in what the framework passed. Fastify wraps it, and so does NestJS on Fastify. */
const read = (given: unknown, advice: string, inFastify: string): IncomingWebhook => {
  const kept = Object(given) as Partial<FastifyRequest>;
  const { raw = kept } = kept;
  const request = nodeRequest(raw);
  if (!request) return { headers: {}, advice: "pass Node's request" };
  const { method, headers } = request;
  const isFastify = raw !== kept;
  return {
    method,
    headers,
    // The plugin's parser passes on the stream, which a hook may have replaced.
    read: (maxBytes) =>
      readOrKept((isFastify && nodeRequest(kept.body)) || request, () => kept.rawBody ?? kept.body, maxBytes),
    advice: isFastify ? inFastify : advice,
  };
};

/** Writes the response, unless the user's own time-out has already sent one: Node throws at a second. */
const answerNode = ({ status, headers, body }: Answer, given: unknown): unknown => {
  const response = Object(given) as FastifyReply | (Partial<NodeResponse> & { raw?: undefined });
  if ((response.raw ?? response).headersSent) return;
  if (response.raw) return response.code(status).headers(headers).send(body);
  // Not every caller passes a response. Nothing is returned: micro would send it, and Next warns of it.
  response.writeHead?.(status, headers).end(body);
};

/**
 * Makes the handler of every framework on Node's server that passes a request and a response. `advice` says how to keep
 * the body unread, and `inFastify` how to in Fastify.
 */
export const nodeHandler =
  (receiver: Receiver, advice: string, inFastify: string) =>
  async (request: unknown, response: unknown): Promise<unknown> =>
    answerNode(await receiver.receive(read(request, advice, inFastify)), response);
