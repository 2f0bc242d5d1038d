/** Peer: the list and the home page as one builds them with fastify and its plugins, after the check. */
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import etag from '@fastify/etag';
import fastify from 'fastify';
import { answerCalls } from '../support/child.ts';
import { portOf } from '../support/listen.ts';
import { createDurations, readHome, readList, type BuiltOptions } from './built.ts';
import { createCheck } from './check.ts';

const querystring = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100 }, cursor: { type: 'string', maxLength: 100 } },
  additionalProperties: false,
} as const;

answerCalls({
  start: async (options: BuiltOptions): Promise<number> => {
    const bots = await readList(options);
    const home = await readHome(options);
    const check = await createCheck(options);
    const durations = createDurations();
    const app = fastify({ genReqId: () => crypto.randomUUID() });
    await app.register(compress, { encodings: ['br', 'gzip'] });
    await app.register(cors);
    await app.register(etag);
    app.addHook('onResponse', (request, reply, done) => {
      durations.observe({ route: request.routeOptions.url ?? '', status: reply.statusCode }, reply.elapsedTime / 1_000);
      done();
    });
    app.get<{ Querystring: { limit?: number } }>('/api/bots', { schema: { querystring } }, async (request, reply) => {
      await check?.();
      void reply.headers({ 'X-Request-Id': request.id, 'X-Total-Count': bots.length, 'Cache-Control': 'no-cache' });
      return bots.slice(0, request.query.limit);
    });
    app.get('/', async (request, reply) => {
      await check?.();
      void reply.headers({ ...home.headers, 'X-Request-Id': request.id });
      return home.render();
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return portOf(app.server);
  },
});
