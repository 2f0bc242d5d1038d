/** The operator finds, removes and refuses webhooks by host, and no output has a URL. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { operatorOf } from '@bot-directory/testing/operator';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const secret = 'T0KEN';
const addresses: Record<string, string> = { 'by-address.example.com': '127.0.0.9' };
useStarted(() => startNames((name) => [addresses[name] ?? '127.0.0.1']));
let test: DeliveryTest;
let operator: ReturnType<typeof operatorOf>;
beforeAll(async () => {
  test = await startDelivery({ settings: { WRITE_RATE_LIMIT: '0' } });
  operator = operatorOf(test.redis?.url ?? '', test.url);
});
afterAll(() => test.stop());

const urlAt = (host: string, path: string): string => {
  const url = new URL(test.receiver.url(path));
  url.hostname = host;
  return url.href;
};
const register = (host: string, path: string) =>
  test.post<Problem & { id: string }>('/api/webhooks/bots', { url: urlAt(host, path) });
type Row = { id: string; host: string };

it('lists and removes webhooks of a host and of names below it, with a line in the audit log', async () => {
  const hosts = ['localhost', '127.0.0.1', '127.0.0.1'];
  const ids = [];
  for (const [i, host] of hosts.entries()) {
    const { status, body } = await register(host, `/${secret}/${i}`);
    expect(status, JSON.stringify(body)).toBe(200);
    ids.push(body.id);
  }
  const listed = await operator.run<Row[]>('webhooks', '--host', '127.0.0.0/8');
  expect(listed.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.1']);
  await expect(operator.attempt('webhooks', 'remove')).resolves.toMatchObject({ code: 1 });
  expect(await operator.run('webhooks', 'remove', ids[1] ?? '')).toEqual({ removed: 1 });
  expect(await operator.run('webhooks', 'remove', '--host', '127.0.0.1')).toEqual({ removed: 1 });
  expect(await operator.run('webhooks', 'remove', '--host', '127.0.0.1')).toEqual({ removed: 0 });
  expect(await operator.run('audit', '--limit', '1')).toMatchObject([{ action: 'remove-webhooks', count: 1 }]);
  const slug = await test.publish('After');
  await until('the one that is left gets it', () => test.slugs(`/${secret}/0`).includes(slug));
  expect([test.slugs(`/${secret}/1`), test.slugs(`/${secret}/2`)]).toEqual([[], []]);
  expect(await operator.run('check')).toEqual([]);
});

it.each([
  ['127.0.0.1', '127.0.0.1', 'submission_blocked'],
  ['127.0.0.8/31', 'by-address.example.com', 'submission_blocked'],
  ['example.com', 'hooks.example.com', 'submission_blocked'],
  // It has no certificate, so its ping fails, after the check.
  ['example.com', 'myexample.com', 'webhook_ping_failed'],
])('a block of %s makes a registration at %s a 400 %s', async (value, host, code) => {
  await operator.run('block', 'host', value);
  const answer = await register(host, `/${secret}/${host}`);
  await operator.run('unblock', 'host', value);
  expect([answer.status, answer.body.code]).toEqual([400, code]);
});

it('prints no URL, whatever is written', async () => {
  const url = urlAt('localhost', `/${secret}/0`);
  const outputs = await Promise.all(
    [
      ['webhooks'],
      ['webhooks', '--host', 'localhost'],
      ['webhooks', '--host', url],
      ['webhooks', 'remove', url],
      ['block', 'host', url],
      ['unblock', 'host', url],
      ['block'],
      ['audit'],
    ].map(async (args) => (await operator.attempt(...args)).output),
  );
  expect(outputs.join('\n')).toContain('localhost');
  expect(outputs.join('\n')).not.toContain(secret);
});
