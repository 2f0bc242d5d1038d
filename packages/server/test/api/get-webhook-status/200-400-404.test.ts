import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem, WebhookStatus } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../../src/store/keys.ts';

let client: Redis;
let test: DeliveryTest;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  client = new Redis(redis.url);
  await client.set(keys.paused, '1');
  test = await startDelivery({
    redis,
    settings: { WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '1h').join(',') },
  });
});
afterAll(async () => {
  client.disconnect();
  await test.stop();
});

const idle = {
  state: 'active',
  events: ['bot.created'],
  filter: null,
  format: null,
  has_secret: false,
  has_headers: false,
  failures_in_a_row: 0,
  pending_events: 0,
  last_failure: null,
  next_attempt_at: null,
  last_attempts: [],
  skipped_events: [],
};
const attempt = {
  attempted_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  duration_ms: expect.any(Number) as number,
};
const accepted = { ...attempt, status: 204, failure: null };
const ask = <T = Problem>(url: string) => test.get<T>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`);

describe('the status of a webhook', () => {
  it('is there from its registration on, by any spelling of the URL', async () => {
    await test.publish('Before it came');
    await test.register('/hook');
    for (const url of [test.receiver.url('/hook'), `${test.receiver.url('/x/../hook')}#fragment`]) {
      const answer = await ask<WebhookStatus>(url);
      expect([answer.status, answer.body]).toEqual([200, { url: test.receiver.url('/hook'), ...idle }]);
    }
  });

  it('counts what it has not been sent while deliveries are paused, then what it refuses', async () => {
    await test.register('/bad');
    for (let n = 1; n <= 3; n += 1) {
      await test.publish(`Paused ${n}`);
      expect(await test.status('/hook')).toMatchObject({ ...idle, pending_events: n });
    }
    test.receiver.respond(({ path }, res) => res.writeHead(path === '/bad' ? 500 : 204).end());
    const resumedAtMs = Date.now();
    await client.del(keys.paused);
    await until('it has all', async () => (await test.status('/hook')).pending_events === 0);
    expect(await test.status('/hook')).toMatchObject({ ...idle, last_attempts: [accepted, accepted, accepted] });
    await until('the other has failed', async () => (await test.status('/bad')).failures_in_a_row === 1);
    const { next_attempt_at: next, ...bad } = await test.status('/bad');
    expect(bad).toEqual({
      url: test.receiver.url('/bad'),
      state: 'active',
      events: ['bot.created'],
      filter: null,
      format: null,
      has_secret: false,
      has_headers: false,
      failures_in_a_row: 1,
      pending_events: 3,
      last_failure: 'status',
      last_attempts: [{ ...attempt, status: 500, failure: 'status' }],
      skipped_events: [],
    });
    expect(Date.parse(next ?? '') - resumedAtMs).toBeGreaterThan(0.9 * 3_600_000);
  });

  it('has the last ten attempts, the newest first, until the webhook is removed', async () => {
    await test.register('/often');
    for (let n = 1; n <= 12; n += 1) await test.publish(`Often ${n}`);
    await until('it has all', async () => (await test.status('/often')).pending_events === 0);
    await until('they are saved', async () => (await test.status('/often')).last_attempts.length === 10);
    test.receiver.respond(503);
    await test.publish('Refused');
    await until('it has failed', async () => (await test.status('/often')).failures_in_a_row === 1);
    const { last_attempts: attempts } = await test.status('/often');
    expect(attempts.map(({ status }) => status)).toEqual([503, ...Array<number>(9).fill(204)]);
    const times = attempts.map(({ attempted_at: at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    await test.api('DELETE', '/api/webhooks/bots', { body: { url: test.receiver.url('/often') } });
    test.receiver.respond(204);
    await test.register('/often');
    expect((await test.status('/often')).last_attempts).toEqual([]);
  });

  it('is a 404 if nothing is registered at the URL, or no longer', async () => {
    const removed = await test.register('/removed');
    await test.api('DELETE', '/api/webhooks/bots', { body: { url: removed.url } });
    for (const url of [test.receiver.url('/never'), test.receiver.url('/hook?other'), removed.url]) {
      const answer = await ask(url);
      expect([answer.status, answer.body.code]).toEqual([404, 'webhook_not_found']);
    }
  });

  it.each([
    '',
    '?url=',
    '?url=nonsense',
    '?url=http://hooks.example.com/',
    '?url=https://user@hooks.example.com/',
    '?url=https://10.0.0.1/',
    '?url=https://a.acme.com/&url=https://b.acme.com/',
  ])('refuses the query «%s»', async (query) => {
    const answer = await test.get<Problem>(`/api/webhooks/bots/status${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(['?url']);
  });
});
