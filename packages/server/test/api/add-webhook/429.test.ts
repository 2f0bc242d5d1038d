import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startNames } from '@bot-directory/testing/name-server';
import { operatorOf } from '@bot-directory/testing/operator';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService, type Service } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

useStarted(() => startNames(() => ['127.0.0.1']));
const receiver = useStarted(startReceiver);
const service = useStarted(() =>
  startService({
    settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOKS_PER_HOST: '3', WEBHOOKS_PER_DOMAIN: '5' },
    world: { ca: receiver.ca },
  }),
);

describe('registering a webhook', () => {
  it('refuses more webhooks than one host may have, without a ping, and takes one again when another is removed', async () => {
    const add = (i: number) => service.post<Problem>('/api/webhooks/bots', { url: receiver.url(`/${i}`) });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(add));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    receiver.received.length = 0;
    const refused = await add(7);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_webhooks']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(receiver.received).toEqual([]);
    const kept = answers.findIndex(({ status }) => status === 200) + 1;
    await service.api('DELETE', '/api/webhooks/bots', { body: { url: receiver.url(`/${kept}`) } });
    expect((await add(8)).status).toBe(200);
  });

  it('refuses webhooks beyond the limit of a registrable domain, and accepts those of another', async () => {
    const add = (host: string) =>
      service.post<Problem>('/api/webhooks/bots', { url: `https://${host}:${receiver.port}/` });
    for (let i = 0; i < 5; i += 1) expect((await add(`h${i}.hooks.example.com`)).status).toBe(200);
    const refused = await add('h5.hooks.example.com');
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_webhooks']);
    expect((await add('neighbour.github.io')).status).toBe(200);
    const url = `https://h0.hooks.example.com:${receiver.port}/`;
    expect((await service.api('DELETE', '/api/webhooks/bots', { body: { url } })).status).toBe(200);
    expect((await add('h5.hooks.example.com')).status).toBe(200);
  });
});

describe('a host that many share', () => {
  let shared: Service;
  beforeAll(async () => {
    shared = await startService({
      settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WRITE_RATE_LIMIT: '0', TRUST_PROXY: 'loopback' },
      world: { ca: receiver.ca },
    });
    await shared.publish('A Bot');
  });
  afterAll(() => shared.stop());

  const add = (path: string, client: string) =>
    shared.api<Problem>('POST', '/api/webhooks/bots', {
      body: { url: receiver.url(path) },
      headers: { 'X-Forwarded-For': client },
    });
  const accepted = async (paths: readonly string[], client: (i: number) => string): Promise<number> => {
    let count = 0;
    for (const [i, path] of paths.entries()) if ((await add(path, client(i))).status === 200) count += 1;
    return count;
  };
  const many = (count: number, path: (i: number) => string) => Array.from({ length: count }, (_, i) => path(i));

  it('is not used up by one address with many queries, or by one client, and what is full is counted', async () => {
    expect(
      await accepted(
        many(12, (i) => `/hooks/1?n=${i}`),
        (i) => `192.0.2.${i}`,
      ),
    ).toBe(10);
    expect((await add('/hooks/1?n=12', '198.51.100.1')).body.detail).toContain('queries');
    expect(
      await accepted(
        many(102, (i) => `/hooks/${i + 2}`),
        () => '203.0.113.1',
      ),
    ).toBe(100);
    expect((await add('/hooks/200', '203.0.113.1')).body.detail).toContain('you registered');
    expect((await add('/hooks/200', '203.0.113.2')).status).toBe(200);
    const { body: metrics } = await shared.get<string>('/metrics');
    // An alert sees the first refusal only as an increase from 0.
    expect(metrics).toMatch(/webhook_registrations_refused_total\{limit="host"\} 0\n/);
    expect(metrics).toMatch(/webhook_registrations_refused_total\{limit="address"\} 3\n/);
    expect(metrics).toMatch(/webhook_registrations_refused_total\{limit="client"\} 3\n/);
    const operator = operatorOf(shared.redis?.url ?? '');
    expect(await operator.run('check')).toEqual([]);
    await shared.api('DELETE', '/api/webhooks/bots', { body: { url: receiver.url('/hooks/2') } });
    expect((await add('/hooks/201', '203.0.113.1')).status).toBe(200);
    expect(await operator.run('check')).toEqual([]);
  });
});
