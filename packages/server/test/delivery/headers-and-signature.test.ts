import { expect, it } from 'vitest';
import type { Bot, WebhookKeys } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import type { Received } from '@bot-directory/testing/receiver';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService } from '@bot-directory/testing/service';
import { isSignedBy } from '@bot-directory/testing/signature';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const test = useStarted(startDelivery);

const keysOf = async (service: Pick<DeliveryTest, 'get'>): Promise<string[]> =>
  (await service.get<WebhookKeys>('/api/webhooks/keys')).body.keys.map(({ public_key }) => public_key);

it('sends the four headers of the source, the three of Standard Webhooks, and nothing else of its own', async () => {
  await test.register();
  await test.publish('Headers');
  await until('it is delivered', () => test.receiver.events().length === 1);
  const { headers, body } = test.receiver.received.at(-1) ?? { headers: {}, body: Buffer.of() };
  expect(headers).toEqual({
    host: `127.0.0.1:${test.receiver.port}`,
    connection: 'keep-alive',
    accept: '*/*',
    'content-length': String(body.length),
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'x-service-event': 'bot.created',
    'x-service-delivery': expect.stringMatching(/^dlv_[0-9A-Z]{26}$/) as string,
    'webhook-id': (JSON.parse(body.toString()) as { id: string }).id,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
    'webhook-signature': expect.stringMatching(/^v1a,\S+$/) as string,
  });
});

it('sends the bot just as the list shows it', async () => {
  const slug = await test.publish('Just so', { author: '@jo', integrations: ['slack'], categories: ['SEO'] });
  await until('it is delivered', () => test.slugs().includes(slug));
  const [bot] = (await test.get<Bot[]>('/api/bots')).body;
  expect(test.receiver.events().at(-1)?.data).toEqual(bot);
});

it('signs every delivery with a published key', async () => {
  const [key = ''] = await keysOf(test);
  const signed = test.receiver.received;
  expect(signed.length).toBeGreaterThan(2);
  for (const one of signed) expect(isSignedBy(key, one)).toBe(true);
  expect(isSignedBy(key, { ...(signed[0] as Received), body: Buffer.from('{}') })).toBe(false);
});

it('repeats id and body in every attempt, under a new delivery id', async () => {
  await test.register('/retried');
  let failures = 2;
  test.receiver.respond((received, res) =>
    res.writeHead(received.path === '/retried' && (failures -= 1) >= 0 ? 500 : 204).end(),
  );
  await test.publish('Retried');
  await until('it is taken', () => test.receiver.received.filter(({ path }) => path === '/retried').length === 4);
  const [, ...attempts] = test.receiver.received.filter(({ path }) => path === '/retried');
  expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(attempts.map(({ body }) => body.toString())).size).toBe(1);
  expect(new Set(attempts.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3);
});

it('keeps the key it made, for every process of the store', async () => {
  const other = await startService({ redis: test.redis, provider: test.provider, settings: { ROLE: 'web' } });
  expect(await keysOf(other)).toEqual(await keysOf(test));
  await other.stop();
});

it('has one key when several processes start and need it at the same moment, on an empty store', async () => {
  const redis = await startTestRedis();
  const services = await Promise.all(Array.from({ length: 4 }, () => startService({ redis, provider: test.provider })));
  const keys = await Promise.all(services.map(keysOf));
  expect(keys[0]).toHaveLength(1);
  for (const others of keys) expect(others).toEqual(keys[0]);
  await Promise.all(services.map((service) => service.stop()));
  await redis.stop();
});

it('signs with both keys while one is rotated, the newest first, and publishes both', async () => {
  const older = 'whsk_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const newer = 'whsk_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=';
  const before = await startDelivery({ settings: { WEBHOOK_SIGNING_KEY: older } });
  const rotating = await startDelivery({ settings: { WEBHOOK_SIGNING_KEY: `${newer},${older}` } });
  const [onlyKey = ''] = await keysOf(before);
  const both = await keysOf(rotating);
  expect([both.length, both[1]]).toEqual([2, onlyKey]);
  await rotating.register();
  const [ping] = rotating.receiver.received as [Received];
  expect(String(ping.headers['webhook-signature']).split(' ')).toHaveLength(2);
  for (const key of both) expect(isSignedBy(key, ping)).toBe(true);
  await Promise.all([before.stop(), rotating.stop()]);
});

it('makes one signature per event and second, however many webhooks there are', async () => {
  test.receiver.respond(204);
  const paths = Array.from({ length: 10 }, (_, i) => `/many/${i}`);
  for (const path of paths) await test.register(path);
  const slug = await test.publish('Signed once');
  await until('all have it', () => paths.every((path) => test.slugs(path).includes(slug)));
  const sent = test.receiver.received.filter(
    ({ path, headers }) => path.startsWith('/many') && headers['x-service-event'] === 'bot.created',
  );
  const seconds = new Set(sent.map(({ headers }) => headers['webhook-timestamp']));
  expect(new Set(sent.map(({ headers }) => headers['webhook-signature'])).size).toBe(seconds.size);
});
