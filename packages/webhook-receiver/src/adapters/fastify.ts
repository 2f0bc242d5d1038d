/** The receiver as a Fastify plugin, in a scope of its own: other routes keep their body parsers. */
import type { HeaderSource } from '../headers.ts';
import type { Receiver } from '../receiver.ts';
import { type NodeRequest, readNode } from './node-body.ts';

interface FastifyReply {
  code(status: number): { headers(values: Record<string, string>): { send(body: string): unknown } };
}

interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (request: { headers: HeaderSource; body?: unknown }, reply: FastifyReply) => unknown,
  ): unknown;
}

/** `app.register(fastifyPlugin(receiver, '/hooks'))` */
export const fastifyPlugin =
  (receiver: Receiver, path = '/') =>
  (scope: FastifyScope): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_, payload, done) => done(null, payload));
    scope.post(path, async ({ headers, body }, reply) => {
      const read = (maxBytes: number) => readNode(body as NodeRequest, maxBytes);
      const answer = await receiver.receive({ headers, read });
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    });
    return Promise.resolve();
  };
