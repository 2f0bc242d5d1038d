/**
 * Discord counts the messages of each webhook, and all requests of an address together. A 429 says when those are too
 * many, whichever webhook it was for: all of them wait, and it is nobody's failure.
 */
import { expect, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import type { Respond } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

useStarted(() => startNames(() => ['127.0.0.1']));
const test = useStarted(startDelivery);

const discord = (path: string): string => `https://discord.com:${test.receiver.port}${path}`;
/** One tenant of a host that belongs to many. */
const tenant = (path: string): string => `https://hooks.example.com:${test.receiver.port}${path}`;
const register = async (url: string, more: object = {}): Promise<void> => {
  const answer = await test.post('/api/webhooks/bots', { url, ...more });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
};
const statusOf = async (url: string): Promise<WebhookStatus> =>
  (await test.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body;
const sentTo = (path: string): unknown[] =>
  test.receiver.received.filter((one) => one.path === path && one.headers['x-service-event'] === 'bot.created');

/** Refuses the first events at these paths, as Discord does. */
const refusing = (paths: readonly string[], headers: Readonly<Record<string, string>>): Respond => {
  const left = new Set(paths);
  return ({ path, headers: { 'x-service-event': type } }, res) => {
    const isRefused = type !== 'ping' && left.delete(path);
    res.writeHead(isRefused ? 429 : 204, isRefused ? headers : {}).end();
  };
};

it('After one that is global, no webhook of the service is called, which counts against none', async () => {
  const first = '/api/webhooks/1/a';
  const second = '/api/webhooks/2/b';
  test.receiver.respond(refusing([first], { 'X-RateLimit-Global': 'true', 'Retry-After': '3600' }));
  await register(discord(first), { format: 'discord' });
  await test.publish('Limited 1');
  await until('it is refused', async () => (await statusOf(discord(first))).last_attempts.length === 1);
  await register(discord(second), { format: 'discord' });
  await register(tenant('/other'));
  await test.publish('Limited 2');
  await until('it waits', async () => (await statusOf(discord(second))).next_attempt_at !== null);
  await until('another service has it', () => sentTo('/other').length === 1);
  expect(await statusOf(discord(first))).toMatchObject({ failures_in_a_row: 0, last_attempts: [{ status: 429 }] });
  expect(await statusOf(discord(second))).toMatchObject({
    failures_in_a_row: 0,
    last_failure: null,
    last_attempts: [],
    pending_events: 1,
  });
  expect([sentTo(first).length, sentTo(second).length]).toEqual([1, 0]);
});

it('All get their events once the service takes them again', async () => {
  const paths = ['/services/1', '/services/2', '/services/3'];
  const slack = (path: string): string => `https://hooks.slack.com:${test.receiver.port}${path}`;
  test.receiver.respond(refusing(paths.slice(0, 1), { 'X-RateLimit-Scope': 'global', 'Retry-After': '0.2' }));
  for (const path of paths) await register(slack(path), { format: 'slack' });
  for (const name of ['Again 1', 'Again 2']) await test.publish(name);
  await until('all have all', async () => {
    const all = await Promise.all(paths.map((path) => statusOf(slack(path))));
    return all.every(({ pending_events: pending }) => pending === 0);
  });
  expect(paths.map((path) => sentTo(path).length)).toEqual([3, 2, 2]);
});

it('A tenant of a host that belongs to many holds up nobody', async () => {
  test.receiver.respond(refusing(['/forged'], { 'X-RateLimit-Global': 'true', 'Retry-After': '3600' }));
  await register(tenant('/forged'));
  await test.publish('Forged 1');
  await until('it fails', async () => (await statusOf(tenant('/forged'))).last_attempts.length > 0);
  await register(tenant('/neighbour'));
  await test.publish('Forged 2');
  await until('its neighbour has it', () => sentTo('/neighbour').length === 1);
});
