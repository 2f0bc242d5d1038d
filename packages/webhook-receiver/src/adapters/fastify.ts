/** The receiver as a Fastify plugin, in a scope of its own: other routes keep their body parsers. */
import type { Receiver } from '../receive.ts';
import { type FastifyReply, type FastifyRequest, nodeHandler } from './node-body.ts';

interface FastifyRoute {
  method: string[];
  url: string;
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  route(route: FastifyRoute): unknown;
}

/** `app.register(fastifyPlugin(receiver, '/hooks'))` */
export const fastifyPlugin =
  (receiver: Receiver, path = '/') =>
  (scope: FastifyScope): Promise<void> => {
    scope.removeAllContentTypeParsers();
    // Passes on the stream itself, so nothing but a hook reads the body first.
    scope.addContentTypeParser('*', (_, payload, done) => done(null, payload));
    const advice = 'in Fastify, read it in no hook, or keep its bytes there as request.rawBody';
    scope.route({ method: ['GET', 'HEAD', 'POST'], url: path, handler: nodeHandler(receiver, advice, advice) });
    return Promise.resolve();
  };
