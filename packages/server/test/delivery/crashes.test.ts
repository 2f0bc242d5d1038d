import { beforeAll, expect, it } from 'vitest';
import { shortLease } from '@bot-directory/testing/delivery';
import { looksOfEngines } from '@bot-directory/testing/engine';
import type { Receiver } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startWithoutWorkers } from '@bot-directory/testing/workers';

const paths = Array.from({ length: 60 }, (_, i) => `/hook/${i}`);
/** All want every bot that is published here, but only a third of them wants what every webhook gets. */
const wishes = [{}, { events: ['bot.created', 'bot.removed'] }, { filter: { author: '@ada' } }];
const publish = (name: string): Promise<string> => web.publish(name, { author: 'Ada' });
let receiver: Receiver;
const web = useStarted(() => startWithoutWorkers(shortLease));
beforeAll(async () => {
  receiver = web.receiver;
  for (const [i, path] of paths.entries()) await web.register(path, wishes[i % wishes.length]);
});

/** Returns which of these each webhook got. Others may come again, because the test before ended in a kill. */
const sequences = (published: string[]): string[][] =>
  paths.map((path) => web.slugs(path).filter((slug) => published.includes(slug)));
const withoutRepeats = (slugs: string[]): string[] => slugs.filter((slug, i) => slugs.indexOf(slug) === i);

it('a web process delivers nothing', async () => {
  const slug = await publish('Nobody works');
  expect(await looksOfEngines(web.redis?.url ?? ''), 'it has no engine').toBe(0);
  expect(receiver.events('/hook/0')).toEqual([]);
  const worker = await web.startWorker();
  await until('a worker has delivered it', () => sequences([slug]).every((slugs) => slugs.length > 0));
  expect((await fetch(`${worker.url}/api/bots`)).status).toBe(404);
  expect([(await worker.get('/healthz')).status, (await worker.get('/readyz')).status]).toEqual([200, 200]);
  expect((await worker.get<string>('/metrics')).body).toContain('webhooks_registered 60');
  expect(await worker.stop()).toBe(0);
});

it('loses nothing and keeps the order when workers are killed in the middle of a fan-out', async () => {
  receiver.received.length = 0;
  receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 15));
  const published: string[] = [];
  let worker = await web.startWorker();
  for (let round = 0; round < 3; round += 1) {
    for (let i = 0; i < 3; i += 1) published.push(await publish(`Round ${round} ${i}`));
    const earlier = receiver.received.length;
    await until('the fan-out is under way', () => receiver.received.length > earlier + 20);
    await worker.kill();
    worker = await web.startWorker();
  }
  await until('every webhook has every event', () =>
    sequences(published).every((slugs) => new Set(slugs).size === published.length),
  );
  for (const slugs of sequences(published)) expect(withoutRepeats(slugs)).toEqual(published);
  // A kill repeats what was in flight or not saved yet: on average, at most one event of each webhook.
  const duplicates = sequences(published).reduce((sum, slugs) => sum + slugs.length - published.length, 0);
  expect(duplicates).toBeLessThanOrEqual(3 * paths.length);
  await worker.stop();
});

it('returns its leases on SIGTERM, so that another worker continues at once', async () => {
  receiver.received.length = 0;
  receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 200));
  const patient = { WEBHOOK_LEASE: '10m', WEBHOOK_TIMEOUT: '30s' };
  const leaving = await web.startWorker(patient);
  const slugs = [await publish('Handed 1'), await publish('Handed 2')];
  await until('it delivers', () => sequences(slugs).some((seen) => seen.length > 0));
  const [code, staying] = await Promise.all([leaving.stop(), web.startWorker(patient)]);
  expect(code).toBe(0);
  // Leases last ten minutes, so only webhooks whose leases were returned can get the rest now.
  await until('every webhook has both', () =>
    sequences(slugs).every((seen) => withoutRepeats(seen).length === slugs.length),
  );
  for (const seen of sequences(slugs)) expect(seen).toEqual(slugs);
  await staying.stop();
});

it('loses nothing when Redis is killed and started again during deliveries, or forgets its scripts', async () => {
  receiver.received.length = 0;
  receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 10));
  const worker = await web.startWorker();
  const published: string[] = [];
  for (let i = 0; i < 4; i += 1) published.push(await publish(`Before the crash ${i}`));
  await until('deliveries are under way', () => sequences(published).flat().length > 30);
  await web.redis?.kill();
  await until('the web process has noticed', async () => (await web.get('/healthz/store')).status === 503);
  await web.redis?.restart();
  await until('the list answers', async () => (await web.get('/api/bots')).status === 200);
  const { Redis } = await import('ioredis');
  const redis = new Redis(web.redis?.url ?? '');
  await redis.script('FLUSH');
  redis.disconnect();
  for (let i = 0; i < 3; i += 1) published.push(await publish(`After the crash ${i}`));
  await until('every webhook has every event', () =>
    sequences(published).every((slugs) => new Set(slugs).size === published.length),
  );
  for (const slugs of sequences(published)) expect(withoutRepeats(slugs)).toEqual(published);
  await worker.stop();
  expect(worker.output()).not.toContain(String(receiver.port));
});
