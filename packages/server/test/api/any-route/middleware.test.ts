import express, { type RequestHandler } from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw } from '@bot-directory/testing/raw-http';
import { startService, type Service } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

/** Method and URL of each request, as the middleware sees them. */
const seen: string[] = [];
const middleware: RequestHandler = (req, res, next) => {
  seen.push(`${req.method} ${req.url}`);
  res.setHeader('X-Added', 'by a middleware');
  if (req.ip === '203.0.113.7') res.status(403).end();
  else next();
};

/** Starts a service in whose Express app this middleware is before all others. */
const startWith = async (first: RequestHandler): Promise<Service> => {
  const application = express.application as unknown as { use: (this: unknown, ...handlers: unknown[]) => unknown };
  const { use } = application;
  let isAdded = false;
  application.use = function (...handlers) {
    application.use = use;
    if (!isAdded) use.call(this, first);
    isAdded = true;
    return use.apply(this, handlers);
  };
  return startService({ settings: { TRUST_PROXY: 'loopback' } });
};

const service = useStarted(() => startWith(middleware));
beforeAll(async () => {
  await service.publish('A bot');
});

describe('a middleware before all others', () => {
  it.each([
    ['GET', '/api/bots', 200],
    ['HEAD', '/api/bots?limit=1', 200],
    ['GET', '/api/bots/a-bot', 200],
    ['GET', '/api/events', 200],
    ['GET', '/api/openapi.json', 200],
    ['GET', '/', 200],
    ['GET', '/bots/a-bot', 200],
    ['GET', '/bots/A-Bot', 308],
    ['GET', '/bots/a-bot/', 308],
    ['GET', '/robots.txt', 200],
    ['GET', '/healthz', 200],
    ['POST', '/api/feed', 415],
    ['OPTIONS', '/api/bots', 204],
    ['PUT', '/api/bots', 405],
    ['GET', '/nothing', 404],
    ['GET', '/bots/%E0%A4%A', 404],
  ])('sees %s %s, and sets a header of its response', async (method, path, status) => {
    seen.length = 0;
    const answer = await service.api(method, path);
    expect([answer.status, answer.headers.get('x-added')]).toEqual([status, 'by a middleware']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(seen).toEqual([`${method} ${path}`]);
  });

  it('sets a header of a 304', async () => {
    const etag = (await service.get('/api/bots')).headers.get('etag') ?? '';
    const { status, headers } = await service.get('/api/bots', { 'If-None-Match': etag });
    expect([status, headers.get('etag'), headers.get('x-added')]).toEqual([304, etag, 'by a middleware']);
  });

  it.each([
    ['without a Host', 'GET /api/bots HTTP/1.1\r\n\r\n'],
    ['with an unknown Expect', 'GET /api/bots HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n'],
  ])('sees a request %s', async (_what, bytes) => {
    seen.length = 0;
    const answer = await exchangeRaw(service.url, bytes);
    expect([answer.headers.get('x-added'), seen]).toEqual(['by a middleware', ['GET /api/bots']]);
  });

  it('may refuse a client, whatever port its proxy writes', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.7:4711' };
    for (const path of ['/api/bots', '/']) expect((await fetch(service.url + path, { headers })).status).toBe(403);
  });
});
