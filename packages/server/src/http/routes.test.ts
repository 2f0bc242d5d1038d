import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountRoutes, type Route } from './routes.ts';

const says =
  (text: string): RequestHandler =>
  (_req, res) =>
    void res.send(text);
const passOn: RequestHandler = (_req, _res, next) => {
  next();
};
const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  handlers: [says(`${method} ${path}`)],
});

/** A pattern before a literal that it matches, and a path with two methods that stand apart. */
const routes: readonly Route[] = [
  route('GET', '/api/bots/:slug'),
  route('GET', '/api/feed'),
  route('POST', '/api/bots/submit'),
  route('POST', '/api/feed'),
  { method: 'GET', path: '/nothing-yet', handlers: [passOn] },
];

let server: Server;
let url: string;
beforeAll(async () => {
  const app = express().set('strict routing', true);
  mountRoutes(app, routes, 'https://bots.example.com');
  app.use((error: { code: string }, _req: unknown, res: express.Response, _next: unknown) => {
    res.status(500).send(error.code);
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const bodyOf = async (method: string, path: string): Promise<string> =>
  (await fetch(`${url}${path}`, { method })).text();

describe('a path', () => {
  it.each([
    ['GET', '/api/bots/a-bot', 'GET /api/bots/:slug'],
    ['GET', '/api/feed', 'GET /api/feed'],
    ['POST', '/api/feed', 'POST /api/feed'],
    ['POST', '/api/bots/submit', 'POST /api/bots/submit'],
    ['GET', '/api/bots/submit', 'method_not_allowed'],
    ['DELETE', '/api/bots/a-bot', 'method_not_allowed'],
    ['DELETE', '/api/bots', 'not_found'],
    ['GET', '/nothing-yet', 'not_found'],
    ['POST', '/nothing-yet', 'method_not_allowed'],
  ])('has the handlers of its own routes alone: %s %s', async (method, path, body) => {
    expect(await bodyOf(method, path)).toBe(body);
  });

  it.each([
    ['/api/feed', 'GET, HEAD, POST, OPTIONS'],
    ['/api/bots/submit', 'POST, OPTIONS'],
    ['/api/bots/a-bot', 'GET, HEAD, OPTIONS'],
    ['/api/bots', null],
  ])('says its methods: %s', async (path, allow) => {
    const { status, headers } = await fetch(`${url}${path}`, { method: 'OPTIONS' });
    expect([status, headers.get('allow'), headers.get('access-control-allow-origin')]).toEqual([204, allow, '*']);
  });
});
