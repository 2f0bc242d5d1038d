/** Peer: the list and the home page as one builds them with hono and its middleware, after the check. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { etag } from 'hono/etag';
import { requestId } from 'hono/request-id';
import { routePath } from 'hono/route';
import { z } from 'zod';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import { createDurations, readHome, readList, type BuiltOptions } from './built.ts';
import { createCheck } from './check.ts';

const query = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().max(100).optional(),
});

answerCalls({
  start: async (options: BuiltOptions): Promise<number> => {
    const bots = await readList(options);
    const home = await readHome(options);
    const check = await createCheck(options);
    const durations = createDurations();
    const app = new Hono();
    app.use(async (c, next) => {
      const startedAtMs = performance.now();
      await next();
      durations.observe({ route: routePath(c, -1), status: c.res.status }, (performance.now() - startedAtMs) / 1_000);
    });
    app.use(requestId(), cors(), compress(), etag());
    app.get('/api/bots', zValidator('query', query), async (c) => {
      await check?.();
      const { limit } = c.req.valid('query');
      return c.json(bots.slice(0, limit), 200, {
        'X-Total-Count': String(bots.length),
        'Cache-Control': 'no-cache',
      });
    });
    app.get('/', async (c) => {
      await check?.();
      return c.body(home.render(), 200, home.headers);
    });
    const respond = getRequestListener(app.fetch);
    return listen(createServer((request, response) => void respond(request, response)));
  },
});
