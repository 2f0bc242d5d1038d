/**
 * What it costs to read all templates again: a worker passes once over all bots, in a small part of the usual week. CPU
 * of the worker and of Redis for each bot, the time that the pass took, and the worker's memory at the beginning and at
 * the end, which must not depend on how many bots there are.
 */
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { BotId } from '../packages/server/src/base/ids.ts';
import { keys } from '../packages/server/src/store/keys.ts';
import { publishBots } from './support/bots.ts';
import { redisCpuUs } from './support/redis-cpu.ts';
import { ours, writeResult, type Figure } from './support/results.ts';
import { startServer } from './support/server.ts';
import { count, row } from './support/table.ts';

const { values: options } = parseArgs({
  options: { bots: { type: 'string', default: '100000' }, seconds: { type: 'string', default: '300' } },
});
const bots = Number(options.bots);
const passSec = Number(options.seconds);
const hourMs = 3_600_000;
const pageSize = 1_000;

/** Publishes bots as if an hour ago, because a template is not read again just after its bot is published. */
const publishAnHourAgo = async (redisUrl: string): Promise<void> => {
  await publishBots(redisUrl, { first: 0, count: bots });
  const redis = new Redis(redisUrl);
  const ids = (await redis.zrange(keys.bots, '0', '-1')) as BotId[];
  for (let i = 0; i < ids.length; i += pageSize)
    await Promise.all(
      ids.slice(i, i + pageSize).map((id) => redis.hset(keys.bot(id), 'created_at', Date.now() - hourMs)),
    );
  redis.disconnect();
};

const worker = await startServer({
  beforeStart: publishAnHourAgo,
  probed: 'memory',
  settings: { ROLE: 'worker', TEMPLATE_RECHECK: `${passSec}s` },
});
const redis = new Redis(worker.redisUrl);

/** Counts the templates that were read, by result. */
const checks = async (): Promise<ReadonlyMap<string, number>> => {
  const text = await (await fetch(`${worker.baseUrl}/metrics`)).text();
  const found = [...text.matchAll(/^template_checks_total\{result="(\w+)"\} (\d+)$/gm)];
  return new Map(found.map(([, result = '', value]) => [result, Number(value)]));
};
const sum = (results: ReadonlyMap<string, number>): number => [...results.values()].reduce((all, one) => all + one, 0);
const state = async () => ({
  atMs: performance.now(),
  read: sum(await checks()),
  redisUs: await redisCpuUs(redis),
  ...(await worker.vitals({ collected: true })),
});

try {
  // A twentieth of the pass warms up compilers and connections.
  while (sum(await checks()) < bots / 20) await sleep(500);
  const from = await state();
  while (sum(await checks()) < bots) await sleep(500);
  const to = await state();
  const read = to.read - from.read;
  const results = await checks();
  if (results.size !== 1 || !results.has('unchanged'))
    throw new Error(`not all were unchanged: ${[...results].join(' ')}`);
  const tookSec = ((to.atMs - from.atMs) / 1_000) * (bots / read);
  const figure = (name: string, value: number, unit: string): Figure => ({ name, who: ours, value, unit });
  const figures = [
    figure('CPU of the worker for each bot', Math.round((to.cpuUs - from.cpuUs) / read), 'µs'),
    figure('CPU of Redis for each bot', Math.round((to.redisUs - from.redisUs) / read), 'µs'),
    figure(`a pass of ${count(bots)} bots that is to take ${count(passSec)} s`, Math.round(tookSec), 's'),
    figure('memory of the worker, after a twentieth of the pass', Math.round(from.rss / 1e6), 'MB'),
    figure('memory of the worker, at its end', Math.round(to.rss / 1e6), 'MB'),
  ];
  for (const { name, value, unit } of figures) console.log(row(name, [`${count(value)} ${unit}`]));
  console.log(writeResult('recheck', figures));
} finally {
  redis.disconnect();
  await worker.stop();
}
