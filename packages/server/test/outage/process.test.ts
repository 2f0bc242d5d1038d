import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runToEnd, startProcess } from '../support/process.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

const good = { TEMPLATE_HOST: 'templates.example.com' };

it.each([
  ['TEMPLATE_HOST', { TEMPLATE_HOST: '' }],
  ['TEMPLATE_HOST', { TEMPLATE_HOST: 'https://templates.example.com/' }],
  ['PORT', { PORT: '99999' }],
  ['PORT', { PORT: 'http' }],
  ['BASE_URL', { BASE_URL: 'directory.example.com' }],
  ['REDIS_URL', { REDIS_URL: 'localhost:6379' }],
  ['WEBHOOK_TIMEOUT', { WEBHOOK_TIMEOUT: '10' }],
  ['WEBHOOK_RETRY_DELAYS', { WEBHOOK_RETRY_DELAYS: '1s,2s' }],
  ['WEBHOOK_LEASE', { WEBHOOK_LEASE: '5s' }],
  ['WEBHOOK_ALLOWED_NETWORKS', { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/99' }],
  ['WEBHOOK_SIGNING_KEY', { WEBHOOK_SIGNING_KEY: 'whsk_short' }],
  ['WRITE_RATE_LIMIT', { WRITE_RATE_LIMIT: 'many' }],
  ['ROLE', { ROLE: 'boss' }],
  ['REDIS_URL', { ROLE: 'worker' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
])('stops at a bad %s, and names it', async (name, settings) => {
  const { code, output } = await runToEnd('main.js', { ...good, ...settings });
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(`^Settings: .*${name}`));
  expect(output.trim().split('\n')).toHaveLength(1);
});

it('names every bad setting at once', async () => {
  const { output } = await runToEnd('main.js', { PORT: 'x', ROLE: 'boss' });
  for (const name of ['PORT', 'ROLE', 'TEMPLATE_HOST']) expect(output).toContain(name);
});

it('finishes what is in flight on SIGTERM, accepts nothing new, and exits with 0', async () => {
  let asked = (): void => undefined;
  const wasAsked = new Promise<void>((resolve) => (asked = resolve));
  const provider = createServer((_req, res) => {
    asked();
    setTimeout(() => res.setHeader('Content-Type', 'application/json').end('{"name":"Slow"}'), 500);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  const server = await startProcess({ ...good, REDIS_URL: redis.url, TEMPLATE_ORIGIN: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` });
  const slow = server.post('/api/bots/submit', { link: 'https://templates.example.com/bot/slow' });
  await wasAsked;
  const stopped = server.stop();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  expect((await slow).status).toBe(200);
  expect(await stopped).toBe(0);
  provider.close();
});

it('logs requests as JSON lines, and warns of allowed networks', async () => {
  const server = await startProcess({ ...good, REDIS_URL: redis.url, WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' });
  await server.post('/api/feed', { url: 'x' });
  await server.stop();
  const lines = server.output().trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', msg: expect.stringContaining('WEBHOOK_ALLOWED_NETWORKS') as string }));
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', method: 'POST', path: '/api/feed', status: 400, duration_ms: expect.any(Number) as number }));
});
