/** The receiver as a Fastify plugin, in a scope of its own: other routes keep their body parsers. */
import type { HeaderSource } from '../headers.ts';
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';
import { adaptPair } from './adapt.ts';
import { type NodeRequest, readOrKept } from './node-body.ts';

interface FastifyRequest {
  headers: HeaderSource;
  body?: unknown;
  rawBody?: unknown;
}

interface FastifyReply {
  sent: boolean;
  raw: { headersSent: boolean };
  code(status: number): { headers(values: Record<string, string>): { send(body: string): unknown } };
}

interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => unknown): unknown;
}

// This scope's parser passes on the stream itself, so nothing but a hook reads the body first.
const read = (request: FastifyRequest): IncomingWebhook => ({
  headers: request.headers,
  read: (maxBytes) => {
    const kept = () => request.rawBody;
    if (kept() === undefined && isStream(request.body)) return readOrKept(request.body, kept, maxBytes);
    return Promise.resolve(kept() ?? request.body);
  },
  advice: 'in Fastify, read it in no hook, or keep its bytes there as request.rawBody',
});

const isStream = (body: unknown): body is NodeRequest => typeof (Object(body) as NodeRequest).on === 'function';

const answer = ({ status, headers, body }: Answer, reply: FastifyReply): unknown =>
  reply.sent || reply.raw.headersSent ? undefined : reply.code(status).headers(headers).send(body);

/** `app.register(fastifyPlugin(receiver, '/hooks'))` */
export const fastifyPlugin =
  (receiver: Receiver, path = '/') =>
  (scope: FastifyScope): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_, payload, done) => done(null, payload));
    scope.post(path, adaptPair(read, answer)(receiver));
    return Promise.resolve();
  };
