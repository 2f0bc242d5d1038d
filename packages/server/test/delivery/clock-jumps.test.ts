import { expect, it } from 'vitest';
import { deliverySettings, lateRetries, startDelivery } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import { runToEnd } from '@bot-directory/testing/process';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const day = 86_400_000;
const minute = 60_000;
let offsetMs = 0;
const web = useStarted(() => startDelivery({ settings: { ROLE: 'web' }, world: { offsetMs: () => offsetMs } }));

/** Starts a worker. Its monotonic clock follows the offset too, so it must stop before the offset goes back. */
const startWorker = (): Promise<Service> =>
  startService({
    redis: web.redis,
    provider: web.provider,
    settings: {
      ...deliverySettings,
      ...lateRetries,
      ROLE: 'worker',
    },
    world: { ca: web.receiver.ca, offsetMs: () => offsetMs, pollMs: 100 },
  });

const slugs = async (): Promise<string[]> =>
  (await web.get<{ data: { slug: string } }[]>('/api/events')).body.map(({ data }) => data.slug);
const deliveries = (verb: 'pause' | 'resume') =>
  runToEnd('admin.js', { REDIS_URL: web.redis?.url ?? '' }, ['deliveries', verb]);

it('ends a wait that is longer than any delay, because the clock of the store was an hour ahead', async () => {
  offsetMs = 60 * minute;
  let worker = await startWorker();
  await web.register('/fails-once');
  web.receiver.respond(({ path }, res) => res.writeHead(path === '/fails-once' ? 503 : 204).end());
  const slug = await web.publish('Refused once');
  const nextAttemptAt = async () => (await web.status('/fails-once')).next_attempt_at;
  await until('it waits', async () => (await nextAttemptAt()) !== null);
  expect(Date.parse((await nextAttemptAt()) ?? '')).toBeGreaterThan(Date.now() + 100 * minute);
  await worker.stop();

  offsetMs = 0;
  web.receiver.respond(204);
  web.receiver.received.length = 0;
  worker = await startWorker();
  offsetMs = 2 * minute;
  await until('it has the event', () => web.slugs('/fails-once').length === 1);
  expect(web.slugs('/fails-once')).toEqual([slug]);
  await worker.stop();
});

it('keeps undelivered events while the clock of the store is a month ahead, and delivers them afterwards', async () => {
  let worker = await startWorker();
  await web.register('/good');
  await web.register('/failing');
  const delivered = await web.publish('Delivered');
  for (const path of ['/good', '/failing']) await until('it has the event', () => web.slugs(path).length === 1);
  web.receiver.respond(({ path }, res) => res.writeHead(path === '/failing' ? 503 : 204).end());
  expect((await deliveries('pause')).code).toBe(0);
  await engineHasLooked(web.redis?.url ?? '');
  const waiting = [await web.publish('Waiting 1'), await web.publish('Waiting 2')];

  offsetMs = 31 * day;
  await until('the event that all have is gone', async () => !(await slugs()).includes(delivered));
  expect(await slugs()).toEqual(waiting);

  web.receiver.received.length = 0;
  expect((await deliveries('resume')).code).toBe(0);
  await until('it has all', () => web.slugs('/good').length === waiting.length);
  expect(web.slugs('/good')).toEqual(waiting);
  await until('the other waits', async () => (await web.status('/failing')).next_attempt_at !== null);
  await worker.stop();

  // The clock is corrected, and two minutes go by. By the wrong clock, the failing one would be due in a month.
  offsetMs = 0;
  web.receiver.respond(204);
  web.receiver.received.length = 0;
  worker = await startWorker();
  offsetMs = 2 * minute;
  await until('the other has all', () => web.slugs('/failing').length === waiting.length);
  expect(web.slugs('/failing')).toEqual(waiting);
  const after = await web.publish('After');
  const { body } = await web.get<{ created_at: string }>(`/api/bots/${after}`);
  expect(Date.parse(body.created_at)).toBeLessThan(Date.now() + 2 * offsetMs);
  await worker.stop();
});
