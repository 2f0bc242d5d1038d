import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startNames, type Zone } from '@bot-directory/testing/name-server';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

/** Longer than any delay after a fault of our own. */
const longMs = 140_000;

/**
 * TCP can't reach a multicast address: it fails at once with ENETUNREACH, like any IPv6 address on a host without IPv6.
 */
const unroutable = 'ff0e::1';

let zone: Zone;
let offsetMs = 0;
useStarted(() => startNames((name, family) => zone(name, family)));
const test = useStarted(() =>
  startDelivery({
    settings: { WEBHOOK_ALLOWED_NETWORKS: `127.0.0.0/8,${unroutable}/128` },
    world: { offsetMs: () => offsetMs },
  }),
);
beforeEach(() => {
  zone = () => ['127.0.0.1'];
  test.receiver.respond((_received, res) => res.writeHead(204, { Connection: 'close' }).end());
});

const register = async (name: string): Promise<string> => {
  const url = `https://${name}.hooks.example.com:${test.receiver.port}/${name}`;
  expect((await test.post('/api/webhooks/bots', { url })).status).toBe(200);
  return url;
};
const statusOf = async (url: string): Promise<WebhookStatus> =>
  (await test.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body;
const waitMs = async (url: string): Promise<number> =>
  Date.parse((await statusOf(url)).next_attempt_at ?? '') - (Date.now() + offsetMs);

describe('a fault of our own resolver or network', () => {
  it('counts as no failure, is waited out for longer each time, and delays nothing when it is over', async () => {
    const url = await register('own');
    let asked = 0;
    zone = (name, family) => {
      if (name.startsWith('own.') && family === 4) asked += 1;
      return 'REFUSED';
    };
    const slug = await test.publish('Not their fault');
    const waits: number[] = [];
    for (let i = 1; i <= 12; i += 1) {
      await until('it was tried', () => asked === i);
      await until('it waits', async () => (await waitMs(url)) > 0);
      expect(await statusOf(url)).toMatchObject({ state: 'active', failures_in_a_row: 0, last_failure: 'dns' });
      waits.push(await waitMs(url));
      offsetMs += longMs;
    }
    expect(waits[0]).toBeLessThan(5_501);
    expect(waits[2]).toBeGreaterThan(12_000);
    expect(Math.max(...waits)).toBeLessThan(132_001);
    zone = () => ['127.0.0.1'];
    offsetMs += longMs;
    await until('it is delivered', () => test.slugs('/own').includes(slug));
    await until('the delivery is saved', async () => (await statusOf(url)).pending_events === 0);
    expect(await statusOf(url)).toMatchObject({ failures_in_a_row: 0, last_failure: null });
  });

  it('counts as no failure if no network can be reached', async () => {
    const url = await register('cut-off');
    zone = (name) => (name.startsWith('cut-off.') ? [unroutable] : 'silence');
    await test.publish('Cut off');
    await until('it was tried', async () => (await statusOf(url)).last_failure === 'connect');
    expect(await statusOf(url)).toMatchObject({ state: 'active', failures_in_a_row: 0 });
  });
});

describe('a fault that could be ours but is not', () => {
  it('counts: a webhook whose name no name server answers for is stopped, although nothing else is sent', async () => {
    const url = await register('silent');
    zone = (name) => (name.startsWith('silent.') ? 'SERVFAIL' : ['198.41.0.4']);
    await test.publish('Nobody answers');
    await until('it is stopped', async () => (await statusOf(url)).state === 'stopped');
    expect(await statusOf(url)).toMatchObject({ failures_in_a_row: 10, last_failure: 'dns' });
  });

  it('counts: a webhook with nothing but an IPv6 address is stopped, on a host without IPv6', async () => {
    const url = await register('six');
    zone = (name) => [name.startsWith('six.') ? unroutable : '198.41.0.4'];
    await test.publish('Not from here');
    await until('it is stopped', async () => (await statusOf(url)).state === 'stopped');
    expect(await statusOf(url)).toMatchObject({ failures_in_a_row: 10, last_failure: 'connect' });
  });
});
