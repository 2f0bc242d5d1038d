/**
 * A wave of spam is removed by one command, by author and time: from every list of every process, and from what
 * webhooks have yet to be sent. Nothing else is lost.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Bot, DirectoryEvent } from '@bot-directory/contract';
import { deliverySettings, startDelivery } from '@bot-directory/testing/delivery';
import { publishMany } from '@bot-directory/testing/many-events';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import type { Author } from '../../src/domain/links.ts';
import { perStep, type AuditLine } from '../../src/store/moderation/moderation-store.ts';

const waveSize = 2_000;
/** The most events that two runs of deliveries have: the one under way, and the next, which may have begun. */
const readAhead = 64;
const spammers = Array.from({ length: 50 }, (_, i) => `@spammer${i}` as Author);
const authors = spammers.flatMap((author) => ['--author', author]);

let operator: ReturnType<typeof operatorOf>;

const one = useStarted(startDelivery);
const other = useStarted(() =>
  startService({
    redis: one.redis,
    provider: one.provider,
    settings: { ...deliverySettings, ROLE: 'web' },
  }),
);
beforeAll(() => {
  operator = operatorOf(one.redis?.url ?? '', one.url);
});

const slugs = async (service: Service, query = ''): Promise<string[]> =>
  (await service.get<Bot[]>(`/api/bots${query}`)).body.map(({ slug }) => slug);

/** Counts the bots of the wave that each process lists, again and again, until it is stopped. */
const watch = () => {
  let isOver = false;
  const looking = [one, other].map(async (service) => {
    const seen: number[] = [];
    while (!isOver) seen.push((await slugs(service)).filter((slug) => slug.startsWith('cheap-pills')).length);
    return seen;
  });
  return {
    stop: () => {
      isOver = true;
      return Promise.all(looking);
    },
  };
};

it('removes 2,000 bots by 50 authors, and loses nothing else', async () => {
  await one.register('/hook');
  // Before the wave: one bot by somebody else, and one by an author of the wave.
  const kept = [await one.publish('Honest Before'), await one.publish('Cheaper Once', { author: spammers[0] })];
  await one.post('/api/feed', { url: 'https://x.com/ada/status/1' });
  await until('they are delivered', () => one.slugs('/hook').length === 2);
  const newest = (await one.get<Bot>(`/api/bots/${kept[1] ?? ''}`)).body.created_at;
  // From here on the webhook is slow, so that most of the wave is undelivered when it is removed.
  one.receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 500));
  await publishMany(one.redis?.url ?? '', {
    count: waveSize,
    descriptionBytes: 100,
    own: (i) => ({
      name: `Cheap Pills ${i}`,
      wantedSlug: `cheap-pills-${i}`,
      author: spammers[i % spammers.length] ?? null,
    }),
  });
  kept.push(await one.publish('Honest After', { author: '@honest' }));
  expect(await slugs(other)).toHaveLength(waveSize + 3);
  const audited = (await operator.run<object[]>('audit', '--limit', '100')).length;

  const watched = watch();
  const since = new Date(Date.parse(newest) + 1).toISOString();
  const removed = await operator.run<{ count: number }>('remove', ...authors, '--since', since, '--reason', 'Spam.');
  const sent = one.slugs('/hook').length;
  expect(removed.count).toBe(waveSize);
  for (const service of [one, other]) {
    expect((await slugs(service)).sort()).toEqual([...kept].sort());
    expect(await slugs(service, '?q=pills')).toEqual([]);
    for (const machine of ['/', '/bots.atom', '/bots.json', '/sitemap.xml'])
      expect(await (await fetch(`${service.url}${machine}`)).text()).not.toContain('cheap-pills');
    expect((await service.get('/api/bots/cheap-pills-0')).status).toBe(410);
  }
  // A reader in the meantime saw less of it each time, and a step changed no more than it may.
  for (const seen of await watched.stop()) expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  const lines = await operator.run<AuditLine[]>('audit', '--limit', '100');
  expect(lines.slice(0, lines.length - audited).map(({ action, count }) => `${action} ${count}`)).toEqual(
    Array.from({ length: waveSize / perStep }, () => `remove ${perStep}`),
  );

  one.receiver.respond(204);
  await until('the honest one is delivered', () => one.slugs('/hook').includes('honest-after'));
  await until('nothing is pending', async () => (await one.status('/hook')).pending_events === 0);
  const got = one.slugs('/hook');
  expect(sent).toBeLessThan(waveSize / 10);
  // Only what the worker had already read before the removal: it reads no further ahead than this.
  expect(got.length - sent, 'sent after the removal').toBeLessThan(readAhead);
  expect([got.filter((slug) => kept.includes(slug)), new Set(got).size]).toEqual([kept, got.length]);
  expect((await one.get<unknown[]>('/api/feed')).body).toHaveLength(1);
  const log = await eventsOf(other);
  expect(log.filter(({ type }) => type === 'bot.created').map(({ data }) => data.slug)).toEqual(kept);
  expect(await operator.run('check')).toEqual([]);
});

/** All events that a service lists, from a path on. */
const eventsOf = async (service: Service, path = '/api/events?limit=200'): Promise<DirectoryEvent[]> => {
  const { body, headers } = await service.get<DirectoryEvent[]>(path);
  const next = /\/api[^>]+(?=>; rel="next")/.exec(headers.get('link') ?? '')?.[0];
  return next === undefined ? body : [...body, ...(await eventsOf(service, next))];
};
