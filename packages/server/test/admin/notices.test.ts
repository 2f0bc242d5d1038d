/** Reports, bots that wait and waves of refused submissions reach the operator: in few messages, whatever fails. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operatorOf } from '@bot-directory/testing/operator';
import { startProvider, type Provider } from '@bot-directory/testing/provider';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import type { Notice, NoticeEnvelope } from '../../src/domain/notice.ts';
import { keys } from '../../src/store/keys.ts';

let redis: TestRedis;
let client: Redis;
let provider: Provider;
let receiver: Receiver;
/** How far time has moved. */
let minutes = 0;
const running: Service[] = [];
let clients = 0;

/** How often each process looks. */
const pollMs = 20;

const start = async (settings: Record<string, string> = {}): Promise<Service> => {
  const service = await startService({
    redis,
    provider,
    settings: {
      TRUST_PROXY: 'loopback',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      OPERATOR_WEBHOOK: receiver.url('/operator'),
      ...settings,
    },
    world: { ca: receiver.ca, pollMs, offsetMs: () => minutes * 60_000 },
  });
  running.push(service);
  return service;
};

/** Reports as somebody new. */
const report = async (service: Service, slug: string, text = ''): Promise<void> => {
  clients += 1;
  const answer = await service.api('POST', `/api/bots/${slug}/reports`, {
    body: { reason: 'spam', text },
    headers: { 'X-Forwarded-For': `203.0.113.${clients % 250}` },
  });
  expect(answer.status).toBe(200);
};

const notices = (): Notice[] =>
  receiver.received.map(({ body }) => (JSON.parse(body.toString()) as NoticeEnvelope).data);
/** Waits until so many came, and the last was settled: so many attempts of it failed. */
const come = async (count: number, failures = 0): Promise<void> => {
  await until(`${count} notices came`, () => notices().length >= count);
  await until('it is settled', async () => (await client.hget(keys.notices, 'failures')) === String(failures));
};

beforeAll(async () => {
  [provider, receiver] = await Promise.all([startProvider(), startReceiver()]);
});
afterAll(() => Promise.all([provider.stop(), receiver.stop()]));
beforeEach(async () => {
  redis = await startTestRedis();
  client = new Redis(redis.url);
  receiver.received.length = 0;
  receiver.respond(204);
  minutes = 0;
  return async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    client.disconnect();
    await redis.stop();
  };
});

describe('the operator', () => {
  it('is notified once, by whichever process, and of a flood in one message', async () => {
    const one = await start({ APPROVE_FIRST: 'true' });
    const other = await start();
    const listed = await other.publish('Listed');
    await report(one, listed, 'It asks for a password.');
    await come(1);
    const waiting = await one.publish('Waiting');
    for (let i = 0; i < 15; i += 1) await report(i % 2 === 0 ? one : other, listed);
    minutes += 10;
    await come(2);
    const nothing = { reports: 0, own_reports: 0, waiting: 0, refused_submissions: 0, newest_waiting: [] };
    const newest = { about: listed, reason: 'spam' };
    expect(notices()).toEqual([
      { ...nothing, reports: 1, newest_reports: [{ ...newest, text: 'It asks for a password.' }] },
      {
        ...nothing,
        reports: 15,
        newest_reports: Array(10).fill({ ...newest, text: '' }),
        waiting: 1,
        newest_waiting: [waiting],
      },
    ]);
  });

  it('is not notified again after a restart, or of what was closed meanwhile', async () => {
    const before = await start();
    const slug = await before.publish('Reported');
    await report(before, slug);
    await come(1);
    await before.stop();
    const after = await start();
    running.shift();
    await report(after, slug);
    await operatorOf(redis.url).run('reports', 'close', slug);
    await report(after, await after.publish('Another'));
    minutes += 10;
    await come(2);
    expect(notices().map(({ newest_reports }) => newest_reports.map(({ about }) => about))).toEqual([
      [slug],
      ['another'],
    ]);
  });

  it('gets at an address that failed, later, what is new by then, and not what was given up', async () => {
    const service = await start();
    const slug = await service.publish('Reported');
    receiver.respond(500);
    await report(service, slug);
    await come(1, 1);
    await report(service, slug);
    for (const [i, wait] of [1, 5, 25, 125].entries()) {
      minutes += wait;
      await come(2 + i, i < 3 ? 2 + i : 0);
    }
    receiver.respond(204);
    await report(service, slug);
    minutes += 10;
    await come(6);
    expect(notices().map(({ reports }) => reports)).toEqual([1, 2, 2, 2, 2, 1]);
  });

  it('is notified of a wave that blocks refuse, and not of a few refusals', async () => {
    const service = await start();
    await operatorOf(redis.url).run('block', 'author', '@spammer', '--reason', 'spam');
    const spam = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i += 1) {
        const link = service.link(provider.template({ name: 'Spam' }));
        expect((await service.post('/api/bots/submit', { link, author: '@spammer' })).status).toBe(400);
      }
    };
    await spam(5);
    await report(service, await service.publish('Reported'));
    await come(1);
    await spam(20);
    expect((await service.post('/api/feed', { url: 'https://x.com/spammer/status/1' })).status).toBe(400);
    minutes += 10;
    await come(2);
    expect(notices().map(({ refused_submissions }) => refused_submissions > 20)).toEqual([false, true]);
  });

  it('is notified in the format of a chat, in which the texts of others do nothing', async () => {
    const service = await start({ OPERATOR_WEBHOOK_FORMAT: 'slack' });
    await report(service, await service.publish('Reported'), '<!channel> [x](https://evil.example)');
    await until('it came', () => receiver.received.length > 0);
    expect(JSON.parse(String(receiver.received[0]?.body))).toMatchObject({
      blocks: [
        { text: { type: 'plain_text', text: 'For the operator: 1 report' } },
        { text: { type: 'plain_text', text: 'spam: reported · &lt;!channel&gt; [x](https://evil.example)' } },
        { text: { type: 'mrkdwn' } },
      ],
    });
  });
});
