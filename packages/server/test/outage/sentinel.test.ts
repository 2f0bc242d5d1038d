/**
 * A primary that Sentinels watch: it dies, another is promoted, and the service follows; no number is assigned twice.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startSentinels } from '@bot-directory/testing/sentinel';
import { noPatience } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

/** The Sentinels' own connections have no prefix. */
const prefix = 'two:';
const group = useStarted(startSentinels);
const test = useStarted(() => {
  const settings = { REDIS_URL: group.url, REDIS_KEY_PREFIX: prefix };
  return startDelivery({ redis: null, settings, world: noPatience });
});
beforeAll(async () => {
  await test.register();
});

const listed = async (): Promise<string[]> => (await test.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);

/** The number of every event in the store, by its slug. */
const numbers = async (): Promise<Map<string, number>> => {
  const client = (await group.primary())?.client;
  const entries = (await client?.xrange(prefix + keys.events, '-', '+')) ?? [];
  return new Map(
    entries.map(([id, fields]) => {
      const envelope = JSON.parse(fields[fields.indexOf('body') + 1] ?? '') as { data: { slug: string } };
      return [envelope.data.slug, Number(id.split('-')[0])];
    }),
  );
};

/** Publishes one after the other until it is stopped. Returns the slugs that were acknowledged, in order. */
const publishUntil = (isOver: () => boolean, name: string) => {
  const acknowledged: string[] = [];
  const running = (async () => {
    for (let i = 1; !isOver(); i += 1) {
      const link = test.link(test.provider.template({ name: `${name} ${i}` }));
      const { status, body } = await test.post<{ slug: string }>('/api/bots/submit', { link });
      if (status === 200) acknowledged.push(body.slug);
      else expect(status).toBe(503);
    }
  })();
  return { acknowledged, running };
};

it('follows a promotion while writes go on: only what was not replicated is lost, and no number comes again', async () => {
  let isOver = false;
  const writing = publishUntil(() => isOver, 'Under load');
  await until('some are written', () => writing.acknowledged.length >= 20);
  const before = [...writing.acknowledged];
  const highest = Math.max(...(await numbers()).values());
  const old = await group.primary();
  await old?.kill();
  const atTheKill = writing.acknowledged.length;
  await until('another is the primary', async () => ![undefined, old].includes(await group.primary()), 30_000);
  await until('writes are taken again', () => writing.acknowledged.length >= atTheKill + 20, 30_000);
  isOver = true;
  await writing.running;

  const there = new Set(await listed());
  const lost = writing.acknowledged.filter((slug) => !there.has(slug));
  // Replication keeps the order, so what it loses is the end of what was acknowledged before the kill.
  expect(lost).toEqual(writing.acknowledged.slice(atTheKill - lost.length, atTheKill));
  expect(before.every((slug) => there.has(slug) || lost.includes(slug))).toBe(true);
  const after = await numbers();
  for (const slug of writing.acknowledged.slice(atTheKill)) expect(after.get(slug)).toBeGreaterThan(highest);

  await until('all are delivered', () => [...there].every((slug) => test.slugs().includes(slug)), 30_000);
  const firsts = [...new Set(test.slugs())];
  const inOrder = (slugs: readonly string[]) => [...slugs].sort((a, b) => (after.get(a) ?? 0) - (after.get(b) ?? 0));
  const stayed = firsts.filter((slug) => after.has(slug));
  expect(stayed).toEqual(inOrder(stayed));

  await old?.restart();
  await until(
    'the old one follows',
    async () => (await old?.client.info('replication'))?.includes('role:slave') === true,
    30_000,
  );
  expect(await listed()).toHaveLength(there.size);
  await test.publish('After it came back');
});

it('goes on while a Sentinel is down, and finds the primary through another at its next connection', async () => {
  const [first] = group.sentinels;
  await first?.kill();
  await test.publish('With two Sentinels');
  await (await group.primary())?.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await until('it answers', async () => (await test.get('/api/bots')).status === 200);
  await test.publish('Through another');
  await first?.restart();
});

it('leaves a primary that the Sentinels no longer reach, though it responds', async () => {
  const old = await group.primary();
  // Existing connections stay. The Sentinels, which have no password, are cut off and must connect again.
  await old?.client.config('SET', 'requirepass', 'not for Sentinels');
  const clients = String(await old?.client.call('CLIENT', 'LIST'));
  for (const [, id = ''] of clients.matchAll(/^id=(\d+) .*name=sentinel-/gm))
    await old?.client.call('CLIENT', 'KILL', 'ID', id);
  await until('another is the primary', async () => ![undefined, old].includes(await group.primary()), 30_000);
  await until('writes reach it', async () => {
    const slug = await test.publish('Where are we').catch(() => undefined);
    return slug !== undefined && (await (await group.primary())?.client.hexists(prefix + keys.slugs, slug)) === 1;
  });
  expect((await old?.client.info('replication'))?.includes('role:master')).toBe(true);
});
