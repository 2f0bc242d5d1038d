import { beforeAll, expect, it } from 'vitest';
import { deliverySettings, startDelivery } from '@bot-directory/testing/delivery';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const day = 86_400_000;
const paths = Array.from({ length: 40 }, (_, i) => `/hook/${i}`);
let offsetMs = 0;
const web = useStarted(() => startDelivery({ settings: { ROLE: 'web' }, world: { offsetMs: () => offsetMs } }));
beforeAll(async () => {
  for (const path of paths) await web.register(path);
});

/** Starts a worker whose own clock is wrong by so much. */
const startWorker = (wrongByMs: number): Promise<Service> =>
  startService({
    redis: web.redis,
    provider: web.provider,
    settings: {
      ...deliverySettings,
      // Long enough for a busy machine, and still shorter than the difference between the clocks.
      WEBHOOK_TIMEOUT: '10s',
      WEBHOOK_LEASE: '20s',
      WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '10s').join(','),
      ROLE: 'worker',
    },
    world: {
      ca: web.receiver.ca,
      offsetMs: () => offsetMs,
      clock: () => Date.now() + offsetMs + wrongByMs,
    },
  });

it('a worker whose clock is 31 days ahead trims no event, and delivers all', async () => {
  const old = await web.publish('Old');
  offsetMs += 31 * day;
  const slugs: string[] = [];
  for (let i = 0; i < 5; i += 1) slugs.push(await web.publish(`Undelivered ${i}`));
  const worker = await startWorker(31 * day);
  await until('all have all', () => paths.every((path) => web.slugs(path).length === slugs.length + 1));
  // It trims the log every minute.
  offsetMs += 2 * 60_000;
  const kept = async (): Promise<string[]> =>
    (await web.get<{ data: { slug: string } }[]>('/api/events')).body.map(({ data }) => data.slug);
  // Receivers refuse signatures that are minutes old, or of the future.
  const times = web.receiver.received.map(({ headers }) => 1_000 * Number(headers['webhook-timestamp']));
  expect(Math.max(...times)).toBeLessThan(Date.now() + offsetMs + 60_000);
  await until('it has trimmed the log', async () => !(await kept()).includes(old));
  expect(await kept()).toEqual(slugs);
  await worker.stop();
});

it('two workers whose clocks are 30 s apart deliver everything once, and wait as long as they should', async () => {
  web.receiver.received.length = 0;
  web.receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 50));
  const workers = [await startWorker(0), await startWorker(30_000)];
  const slugs: string[] = [];
  for (let i = 0; i < 10; i += 1) slugs.push(await web.publish(`Once ${i}`));
  await until('all have all', () => paths.every((path) => web.slugs(path).length >= slugs.length), 30_000);
  for (const path of paths) expect(web.slugs(path)).toEqual(slugs);

  web.receiver.respond(500);
  web.receiver.received.length = 0;
  await web.publish('Refused');
  await until('all have refused it', () => paths.every((path) => web.slugs(path).length === 1));
  for (const path of paths) await until('it waits', async () => (await web.status(path)).next_attempt_at !== null);
  for (const path of paths) {
    const { failures_in_a_row: failures, next_attempt_at: next } = await web.status(path);
    expect([failures, web.slugs(path).length]).toEqual([1, 1]);
    expect(Date.parse(next ?? '') - (Date.now() + offsetMs)).toBeLessThan(11_001);
  }
  await Promise.all(workers.map((worker) => worker.stop()));
});
