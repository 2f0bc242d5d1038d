import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { scripts, type ScriptName } from '../../src/redis/scripts.ts';

const paths = Array.from({ length: 20 }, (_, i) => `/hook/${i}`);
let client: Redis;
const test = useStarted(() => startDelivery({ settings: { WEBHOOK_TIMEOUT: '10s', WEBHOOK_LEASE: '20s' } }));
beforeAll(async () => {
  client = new Redis(test.redis?.url ?? '');
  for (const path of paths) await test.register(path);
});
afterAll(() => {
  client.disconnect();
});

const allHave = (slugs: readonly string[]): boolean => paths.every((path) => test.slugs(path).length >= slugs.length);

it('delivers every event once while the store is full, and refuses only what needs more memory', async () => {
  await client.config('SET', 'maxmemory-policy', 'noeviction');
  const held: (() => void)[] = [];
  test.receiver.respond((_received, res) => void held.push(() => res.writeHead(204).end()));
  const slugs = [await test.publish('Before'), await test.publish('As well')];
  await until('all are called', () => held.length === paths.length);
  await client.config('SET', 'maxmemory', '1mb');
  test.receiver.respond(204);
  for (const answer of held) answer();
  await until('all have both', () => allHave(slugs));
  for (const path of paths)
    await until('the delivery is saved', async () => (await test.status(path)).pending_events === 0);
  expect((await test.post('/api/feed', { url: 'https://x.com/someone/status/123' })).status).toBe(503);
  for (const path of paths) expect(test.slugs(path)).toEqual(slugs);
  await client.config('SET', 'maxmemory', '0');
  slugs.push(await test.publish('After'));
  await until('all have it', () => allHave(slugs));
  for (const path of paths) expect(test.slugs(path)).toEqual(slugs);
});

it('counts results that the store refused to save until their leases ran out', async () => {
  const unsaved = async (): Promise<number> =>
    Number(/^webhook_settlements_unsaved_total (\d+)$/m.exec((await test.get<string>('/metrics')).body)?.[1]);
  expect(await unsaved()).toBe(0);
  const held: (() => void)[] = [];
  test.receiver.respond((_received, res) => void held.push(() => res.writeHead(204).end()));
  await test.publish('Not saved');
  await until('all are called', () => held.length === paths.length);
  await client.config('SET', 'min-replicas-to-write', '1');
  for (const answer of held) answer();
  await until('they were given up', async () => (await unsaved()) === paths.length);
  await client.config('SET', 'min-replicas-to-write', '0');
  test.receiver.respond(204);
  for (const path of paths)
    await until('it is delivered again', async () => (await test.status(path)).pending_events === 0);
});

describe('the operator of a full store', () => {
  const operator = () => operatorOf(test.redis?.url ?? '', test.url);
  const posted = 'https://x.com/Spammer/status/9';
  /** What each of the operator's scripts does here. */
  const commands: Partial<Record<ScriptName, string[][]>> = {
    moderate: [
      ['hide', 'hidden'],
      ['remove', 'removed', '--reason', 'Spam.'],
      ['posts', 'remove', posted, '--reason', 'Spam.'],
    ],
    'edit-bot': [['erase', 'author', '@mallory']],
    'set-rule': [
      ['block', 'author', '@spammer'],
      ['submissions', 'off'],
      ['submissions', 'on'],
      ['deliveries', 'pause'],
      ['deliveries', 'resume'],
    ],
    'close-reports': [['reports', 'close', 'reported']],
    'remove-webhook': [['webhooks', 'remove', '--host', '127.0.0.1']],
    'record-operation': [['settings', 'forget']],
    'accept-directory': [['accept-empty']],
  };

  it('takes away and switches off, with a line in the audit log', async () => {
    for (const name of ['Hidden', 'Removed', 'Reported']) await test.publish(name);
    await test.publish('Erased', { author: '@mallory' });
    await test.post('/api/feed', { url: posted });
    await test.post('/api/bots/reported/reports', { reason: 'spam' });
    await client.config('SET', 'maxmemory', '1mb');
    try {
      expect((await test.post('/api/feed', { url: 'https://x.com/someone/status/124' })).status).toBe(503);
      for (const words of Object.values(commands).flat()) {
        const { code, output } = await operator().attempt('--yes', ...words);
        expect([words, code, output]).toEqual([words, 0, expect.not.stringContaining('audit log')]);
      }
      expect((await test.get('/api/bots/hidden')).status).toBe(404);
      expect((await test.get('/api/bots/removed')).status).toBe(410);
      expect((await test.get<{ author: unknown }>('/api/bots/erased')).body.author).toBeNull();
      expect(await operator().run('reports')).toEqual([]);
      expect(await operator().run('webhooks')).toEqual([]);
      const actions = (await operator().run<{ action: string }[]>('audit')).map(({ action }) => action);
      expect(actions).toEqual(expect.arrayContaining(['remove', 'close-submissions', 'pause-deliveries', 'edit']));
    } finally {
      await client.config('SET', 'maxmemory', '0');
    }
  });

  it('has every script that writes a line of the audit log among them', () => {
    const audited = (Object.keys(scripts) as ScriptName[]).filter((name) => scripts[name].includes.has('audit'));
    expect([...audited, 'remove-webhook'].sort()).toEqual(Object.keys(commands).sort());
  });
});
