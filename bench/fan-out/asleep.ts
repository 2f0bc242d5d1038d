/** What webhooks with filters cost while no event is for them. */
import { partitions } from '../../packages/server/src/store/keys.ts';
import type { Author } from '../../packages/server/src/domain/links.ts';
import { redisCpuUs } from '../support/redis-cpu.ts';
import { ours, type Figure } from '../support/results.ts';
import { median, nowMs } from '../support/statistics.ts';
import { manyOrigins } from './endpoints.ts';
import type { Fixture } from './fixture.ts';

const webhooks = 100_000;
const publishes = 30;

/** Publishes events that none of 100,000 webhooks wants, and waits until all have passed each. */
export const measureAsleep = async (fixture: Fixture): Promise<Figure[]> => {
  const { directory, port } = fixture;
  const { redis } = directory;
  const counted = async (): Promise<number> =>
    (await Promise.all(partitions.map(({ asleep }) => redis.zcard(asleep)))).reduce((sum, one) => sum + one);
  const passed = async (): Promise<string> =>
    [...new Set(await redis.mget(partitions.map((one) => one.watermark)))].join();
  const storeCpuMs = async (): Promise<number> => (await redisCpuUs(redis)) / 1e3;

  const targets = manyOrigins(port, webhooks);
  const before = await directory.usedMemory();
  await directory.register(targets, undefined, (i) => ({
    types: ['bot.created', 'bot.removed'],
    categories: [],
    integrations: [],
    words: [],
    author: `@author_${i}` as Author,
  }));
  const memory = (await directory.usedMemory()) - before;
  const worker = await fixture.startWorker('none');
  while ((await counted()) < webhooks) await new Promise((resolve) => setTimeout(resolve, 50));

  const lateMs: number[] = [];
  const storeMs: number[] = [];
  const workerMs: number[] = [];
  for (let i = 0; i < publishes; i += 1) {
    const store = await storeCpuMs();
    const own = await worker.call('cpuMs', undefined);
    const known = await passed();
    const startedMs = nowMs();
    await directory.publish();
    for (let now = known; now === known || now.includes(','); now = await passed()) await new Promise(setImmediate);
    lateMs.push(nowMs() - startedMs);
    storeMs.push((await storeCpuMs()) - store);
    workerMs.push((await worker.call('cpuMs', undefined)) - own);
  }
  await worker.stop();
  await directory.unregister(targets);
  const title = '100,000 filtered webhooks, one publish that none wants';
  return [
    { name: `${title}: until all have passed it`, value: median(lateMs), unit: 'ms' },
    { name: `${title}: CPU of Redis, the publish included`, value: median(storeMs), unit: 'ms' },
    { name: `${title}: CPU of the worker`, value: median(workerMs), unit: 'ms' },
    { name: 'Redis memory of a filtered webhook', value: memory / webhooks, unit: 'B' },
  ].map((one) => ({ ...one, who: ours, value: Math.round(one.value * 100) / 100 }));
};
