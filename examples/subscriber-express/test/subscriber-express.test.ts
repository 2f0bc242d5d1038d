/** The example, as a person runs it, subscribed to the real service over HTTPS. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { startDirectory } from './support/directory.ts';
import { forward, startForgetfulProxy } from './support/forgetful-proxy.ts';
import { startSubscriber } from './support/subscriber.ts';

const main = join(import.meta.dirname, '../src/main.ts');

let directory: Awaited<ReturnType<typeof startDirectory>>;
let subscriber: Awaited<ReturnType<typeof start>>;
let proxy: Awaited<ReturnType<typeof startForgetfulProxy>>;

const start = () => startSubscriber(main, { ...directory.settings, REDIS_URL: directory.redisUrl });

beforeAll(async () => {
  directory = await startDirectory();
  subscriber = await start();
  proxy = await startForgetfulProxy(subscriber.url, directory.tls);
});
afterAll(async () => {
  await proxy.close();
  await subscriber.stop();
  await directory.stop();
});

it('is pinged when it is registered', async () => {
  expect(await directory.subscribe(proxy.url)).toBe(200);
  expect(proxy.deliveries).toEqual([expect.objectContaining({ status: 200 })]);
});

it('announces a bot once, though it is delivered twice', async () => {
  expect(await directory.publish('Weekly SEO Report')).toBe(200);
  await until('the event came twice', () => proxy.created().length === 2);
  const [first, second] = proxy.created();
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.headers['x-service-delivery']).not.toBe(first?.headers['x-service-delivery']);
  expect([first, second].map((delivery) => [delivery?.status, delivery?.answer])).toEqual([
    [200, '{"code":"handled"}'],
    [200, '{"code":"duplicate"}'],
  ]);
  await until('it was announced', () => subscriber.lines.length > 1);
  expect(subscriber.lines).toEqual([
    'ping, signature verified',
    expect.stringMatching(/^bot\.created: Weekly SEO Report, signature verified, \d+ ms after it was submitted$/),
  ]);
});

it('refuses what was not signed by the directory', async () => {
  const [real] = proxy.created();
  const body = Buffer.from(String(real?.body).replace('Weekly SEO Report', 'Forged'));
  const headers = { ...real?.headers, 'content-length': String(body.length) };
  const { status, answer } = await forward(subscriber.url, { headers, body }, directory.tls);
  expect([status, answer]).toEqual([401, '{"code":"invalid_signature"}']);
  expect(subscriber.lines).toHaveLength(2);
});

it('shares with another process which events were handled', async () => {
  const [real = { headers: {}, body: Buffer.of() }] = proxy.created();
  const other = await start();
  try {
    const { status, answer } = await forward(other.url, real, directory.tls);
    expect([status, answer]).toEqual([200, '{"code":"duplicate"}']);
    expect(other.lines).toEqual([]);
  } finally {
    await other.stop();
  }
});
