/**
 * The crash test: webhooks, events flowing, and workers killed with -9 again and again, for as long as you like. It
 * recounts at the receiver. `npm run endurance crash -- [seconds] [webhooks]`; exits with 1 when anything was lost.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startTestRedis } from '@bot-directory/testing/redis';
import { parseNetwork } from '../packages/server/src/domain/ip-address.ts';
import { parseWebhookUrl } from '../packages/server/src/domain/webhook-url.ts';
import { openDirectory } from '../bench/support/directory.ts';

const [seconds = 60, webhooks = 200] = process.argv.slice(2).map(Number);
const workerCount = 2;
const eventEveryMs = 100;
const answerAfterMs = 5;
const drainMs = 60_000;

const loopback = parseNetwork('127.0.0.0/8');
if (!loopback.ok) throw new Error(loopback.why);
const home = mkdtempSync(join(tmpdir(), 'bot-directory-crash-'));
const redis = await startTestRedis({ persist: true });
const directory = openDirectory(redis.url);

/** How often each event came to each path, and whether first arrivals kept the publish order. */
const received = new Map<string, Map<string, number>>();
let deliveries = 0;
const receiver = await startReceiver();
receiver.respond(({ path, headers }, res) => {
  const seen = received.get(path) ?? new Map<string, number>();
  received.set(path, seen);
  const id = String(headers['webhook-id']);
  seen.set(id, (seen.get(id) ?? 0) + 1);
  deliveries += 1;
  receiver.received.length = 0;
  setTimeout(() => res.writeHead(204).end(), answerAfterMs);
});

const paths = Array.from({ length: webhooks }, (_, i) => `/hook/${i}`);
await directory.register(
  paths.map((path) => {
    const target = parseWebhookUrl(receiver.url(path), [loopback.value]);
    if (!target.ok) throw new Error(target.why);
    return target.value;
  }),
);

writeFileSync(join(home, 'ca.pem'), receiver.ca);
const startWorker = (): Promise<ServerProcess> =>
  startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: 'templates.example.com',
    ROLE: 'worker',
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_TIMEOUT: '2s',
    WEBHOOK_LEASE: '4s',
    WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '1s').join(','),
    NODE_EXTRA_CA_CERTS: join(home, 'ca.pem'),
  });

const published: string[] = [];
const end = performance.now() + seconds * 1_000;
const workers: ServerProcess[] = [];
try {
  const publishing = (async () => {
    while (performance.now() < end) {
      published.push(await directory.publish());
      await sleep(eventEveryMs);
    }
  })();

  workers.push(...(await Promise.all(Array.from({ length: workerCount }, startWorker))));
  let kills = 0;
  let killAtMs = performance.now();
  while (performance.now() < end) {
    // A build that starts sooner is not killed more often.
    killAtMs += 700 + Math.random() * 1_000;
    await sleep(Math.max(0, killAtMs - performance.now()));
    const victim = kills % workerCount;
    await workers[victim]?.kill();
    kills += 1;
    workers[victim] = await startWorker();
  }
  await publishing;

  const missing = (): number =>
    paths.reduce((sum, path) => sum + published.filter((id) => received.get(path)?.has(id) !== true).length, 0);
  const giveUp = performance.now() + drainMs;
  while (missing() > 0 && performance.now() < giveUp) await sleep(250);

  const lost = missing();
  const outOfOrder = paths.filter((path) =>
    [...(received.get(path)?.keys() ?? [])].some((id, i) => id !== published[i]),
  ).length;
  const duplicates = deliveries - published.length * webhooks + lost;
  // A killed worker had at most one delivery per webhook under way, and one that was not saved yet.
  const bound = 2 * kills * webhooks;
  console.log(`${seconds} s, ${webhooks} webhooks, ${workerCount} workers, ${kills} kills (-9)`);
  console.log(`events ${published.length}, deliveries ${deliveries}`);
  console.log(
    `lost ${lost}, out of order ${outOfOrder}, duplicates ${duplicates} (bound ${bound}; ${(duplicates / Math.max(1, kills)).toFixed(1)} a kill)`,
  );
  process.exitCode = lost > 0 || outOfOrder > 0 || duplicates > bound ? 1 : 0;
} finally {
  await Promise.all(workers.map((worker) => worker.stop()));
  await directory.close();
  await receiver.stop();
  await redis.stop();
  rmSync(home, { recursive: true, force: true });
}
