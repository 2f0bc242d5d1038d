/**
 * A day of traffic on a virtual clock: simulated endpoints behind the real engine, the real scripts and a real Redis.
 * `npm run bench simulate -- --webhooks=1000 --publishes=200 --hours=24`. Two workers share the work; every six hours
 * one dies as by `kill -9` and another takes its place.
 */
import { parseArgs } from 'node:util';
import { behaviours, createEndpoints } from './simulate/endpoints.ts';
import { startVirtualTime } from './simulate/virtual-time.ts';
import { ours, writeResult, type Figure } from './support/results.ts';
import { count, row } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    webhooks: { type: 'string', default: '500' },
    publishes: { type: 'string', default: '200' },
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: '7' },
  },
});
const webhooks = Number(options.webhooks);
const publishes = Number(options.publishes);
const hours = Number(options.hours);
const hourMs = 3_600_000;
const killEveryHours = 6;
const restartMs = 10_000;
const startedAtMs = performance.now();

/** mulberry32: the same day for the same seed. */
let state = Number(options.seed);
const random = (): number => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

const { startRedis } = await import('../scripts/redis.mjs');
const redis = await startRedis({ persist: true });
const time = startVirtualTime();
// Whatever is imported from here on waits by the virtual clock.
const { openVirtualStore, startWorker } = await import('./simulate/worker.ts');
const { openDirectory } = await import('./support/directory.ts');
const { manyOrigins } = await import('./fan-out/endpoints.ts');
const { readConfig } = await import('../packages/server/src/config.ts');
const { createQueueState } = await import('../packages/server/src/store/webhooks/queue-state.ts');

const { webhook } = readConfig({ REDIS_URL: redis.url, TEMPLATE_HOST: 'templates.example.com' });
const dayMs = Date.now();
const endpoints = createEndpoints(webhook.timeoutMs, dayMs, random);
const store = await openVirtualStore(redis.url, time);
const directory = openDirectory(redis.url, time.offsetMs);
await time.quiet();
await directory.register(manyOrigins(443, webhooks));

const deps = { redisUrl: redis.url, webhook, time, send: endpoints.send };
const workers = [await startWorker(deps), await startWorker(deps)];

/** More publishes by day than by night. Their total stays the same. */
const instants = Array.from({ length: publishes }, (_, i) => {
  const at = (i + random()) / publishes;
  return dayMs + (at - Math.sin(2 * Math.PI * at) / (4 * Math.PI)) * hours * hourMs;
});

const figures: Figure[] = [];
const note = (name: string, at: number, value: number, unit: string): void => {
  figures.push({ name, who: ours, at, value: Math.round(value * 100) / 100, unit });
};

/** Returns the age of the oldest event that an active webhook without failures lacks, as the service's metric does. */
const oldestSec = async (): Promise<number> => {
  const { lowestCursor } = await createQueueState(store).counts();
  const [oldest] = Number.isFinite(lowestCursor) ? ((await workers[0]?.events.after(lowestCursor, 1)) ?? []) : [];
  return oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.entry.publishedAtMs) / 1_000;
};

let last = { ...endpoints.counts };
let oldestOfHour = 0;
const tellHour = async (hour: number): Promise<void> => {
  const { counts } = endpoints;
  const { stopped, waiting } = await createQueueState(store).counts();
  const memoryMb = (await directory.usedMemory()) / 1e6;
  const attempts = counts.attempts - last.attempts;
  const retries = counts.failed - last.failed;
  const duplicates = counts.duplicates - last.duplicates;
  console.log(
    row(`hour ${hour}`, [
      ...[attempts, retries, duplicates, waiting, stopped].map(count),
      `${oldestOfHour.toFixed(1)} s`,
      `${memoryMb.toFixed(2)} MB`,
    ]),
  );
  note('attempts', hour, attempts, '');
  note('failed attempts', hour, retries, '');
  note('duplicates', hour, duplicates, '');
  note('oldest undelivered', hour, oldestOfHour, 's');
  note('Redis memory', hour, memoryMb, 'MB');
  [last, oldestOfHour] = [{ ...counts }, 0];
};

/** What happens when: publishes, checks 2, 12 and 60 s after each, kills, and the end of every hour. */
type Happening = { readonly atMs: number; readonly run: () => Promise<void> };
const look = async (): Promise<void> => {
  oldestOfHour = Math.max(oldestOfHour, await oldestSec());
};
const day: Happening[] = [
  ...instants.flatMap((atMs) => [
    {
      atMs,
      run: async () => {
        await directory.publish();
        time.ring();
      },
    },
    ...[2_000, 12_000, 60_000].map((afterMs) => ({ atMs: atMs + afterMs, run: look })),
  ]),
  ...Array.from({ length: hours }, (_, i) => ({ atMs: dayMs + (i + 1) * hourMs, run: () => tellHour(i + 1) })),
  ...Array.from({ length: Math.floor((hours - 1) / killEveryHours) }, (_, i) => {
    // A kill comes while deliveries of a bot are under way.
    const from = dayMs + (i + 1) * killEveryHours * hourMs;
    const atMs = (instants.find((one) => one > from) ?? from) + 60;
    return [
      { atMs, run: () => Promise.resolve(workers[i % 2]?.kill()) },
      {
        atMs: atMs + restartMs,
        run: async () => {
          workers[i % 2] = await startWorker(deps);
        },
      },
    ];
  }).flat(),
].sort((a, b) => a.atMs - b.atMs);

console.log(`${count(webhooks)} webhooks, ${count(publishes)} bots in ${hours} hours, seed ${options.seed}`);
for (const { name, share, source } of behaviours) console.log(row(`  ${name}`, [`${share * 100} %`, `  ${source}`]));
console.log(row('', ['attempts', 'failed', 'duplicates', 'waiting', 'stopped', 'oldest', 'Redis']));
for (const { atMs, run } of day) {
  await time.until(atMs);
  await run();
}
const { attempts, failed, duplicates, delivered } = endpoints.counts;
const tookSec = (time.realMs() - startedAtMs) / 1_000;
console.log(
  `attempts ${count(attempts)}, delivered ${count(delivered)}, failed ${count(failed)}, duplicates ${duplicates}; in ${tookSec.toFixed(0)} s`,
);
for (const [name, value] of Object.entries({ attempts, delivered, 'failed attempts': failed, duplicates }))
  figures.push({ name: `${name}, of the day`, who: ours, value, unit: '' });
figures.push({ name: 'webhooks', who: ours, value: webhooks, unit: '' });
figures.push({ name: 'publishes', who: ours, value: publishes, unit: '' });
console.log(writeResult('simulate', figures));
// The virtual clock has stopped, so no timer fires any more: the process is ended explicitly.
await redis.stop();
process.exit();
