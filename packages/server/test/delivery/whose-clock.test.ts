import { expect, it } from 'vitest';
import { deliverySettings, startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { startWithoutWorkers } from '@bot-directory/testing/workers';

const day = 86_400_000;
const paths = Array.from({ length: 40 }, (_, i) => `/hook/${i}`);
const settings = {
  // Long enough for a busy machine, and still shorter than the difference between the clocks.
  WEBHOOK_TIMEOUT: '10s',
  WEBHOOK_LEASE: '20s',
  WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '10s').join(','),
};
const registerAll = async (web: DeliveryTest): Promise<void> => {
  for (const path of paths) await web.register(path);
};

/** Moves this process's own clock. Returns what puts it back. */
const moveOwnClock = (byMs: number): (() => void) => {
  const { now } = Date;
  Date.now = () => now() + byMs;
  return () => void (Date.now = now);
};

it('a worker whose clock is 31 days ahead trims no event, and delivers all', async () => {
  let offsetMs = 0;
  const world = { offsetMs: () => offsetMs };
  const web = await startDelivery({ settings: { ROLE: 'web' }, world });
  await registerAll(web);
  const old = await web.publish('Old');
  offsetMs += 31 * day;
  const nowMs = Date.now() + offsetMs;
  const slugs: string[] = [];
  for (let i = 0; i < 5; i += 1) slugs.push(await web.publish(`Undelivered ${i}`));
  const putBack = moveOwnClock(31 * day);
  const worker = await startService({
    redis: web.redis,
    provider: web.provider,
    settings: { ...deliverySettings, ...settings, ROLE: 'worker' },
    world: { ...world, ca: web.receiver.ca },
  });
  await until('all have all', () => paths.every((path) => web.slugs(path).length === slugs.length + 1));
  // It trims the log every minute.
  offsetMs += 2 * 60_000;
  const kept = async (): Promise<string[]> =>
    (await web.get<{ data: { slug: string } }[]>('/api/events')).body.map(({ data }) => data.slug);
  // Receivers refuse signatures that are minutes old, or of the future.
  const times = web.receiver.received.map(({ headers }) => 1_000 * Number(headers['webhook-timestamp']));
  expect(Math.max(...times)).toBeLessThan(nowMs + 5 * 60_000);
  await until('it has trimmed the log', async () => !(await kept()).includes(old));
  expect(await kept()).toEqual(slugs);
  putBack();
  await worker.stop();
  await web.stop();
});

it('two workers whose clocks are 30 s apart deliver everything once, and wait as long as they should', async () => {
  const web = await startWithoutWorkers(settings);
  await registerAll(web);
  web.receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 50));
  const workers = [await web.startWorker(), await web.startWorker({}, { wrongByMs: 30_000 })];
  const slugs: string[] = [];
  for (let i = 0; i < 10; i += 1) slugs.push(await web.publish(`Once ${i}`));
  await until('all have all', () => paths.every((path) => web.slugs(path).length >= slugs.length));
  for (const path of paths) expect(web.slugs(path)).toEqual(slugs);

  web.receiver.respond(500);
  web.receiver.received.length = 0;
  await web.publish('Refused');
  await until('all have refused it', () => paths.every((path) => web.slugs(path).length === 1));
  for (const path of paths) await until('it waits', async () => (await web.status(path)).next_attempt_at !== null);
  for (const path of paths) {
    const { failures_in_a_row: failures, next_attempt_at: next } = await web.status(path);
    expect([failures, web.slugs(path).length]).toEqual([1, 1]);
    expect(Date.parse(next ?? '') - Date.now()).toBeLessThan(11_001);
  }
  await Promise.all(workers.map((worker) => worker.stop()));
  await web.stop();
});
