/**
 * How long after its publish a delivery arrives: the first on an idle system, and those of healthy endpoints next to
 * hanging ones.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs, quantile } from '../support/statistics.ts';
import { manyOrigins } from './endpoints.ts';
import type { Fixture } from './fixture.ts';

const idleWebhooks = 100;
const idleEvents = 200;
const everyMs = 25;

/**
 * Measures, for each event, the milliseconds from the call that publishes it to the first of a hundred endpoints: ours,
 * and the least that it takes to read an event from the store, send the store one command, and post.
 */
export const measureIdle = async (fixture: Fixture): Promise<Record<'ours' | 'bare', number[]>> => {
  const { directory, receivers } = fixture;
  const targets = manyOrigins(fixture.port, idleWebhooks);
  await receivers.call('watch', idleWebhooks);
  const measure = async (): Promise<number[]> => {
    // The first events open the connections.
    await publishEvery(fixture, { events: 1, everyMs: 1_500 });
    await publishEvery(fixture, { events: 40, everyMs });
    return (await publishEvery(fixture, { events: idleEvents, everyMs })).map(([first = Number.NaN]) => first);
  };
  const bare = await fixture.startBare(await directory.lastEvent());
  await bare.call('follow', { redisUrl: fixture.redis.url, urls: targets.map(({ url }) => url) });
  const least = await measure();
  await bare.stop();
  const worker = await fixture.startWorker('https');
  await directory.register(targets);
  const ours = await measure();
  await directory.unregister(targets);
  await worker.stop();
  return { ours, bare: least };
};

const endpoints = 600;
const healthy = endpoints / 2;
const phases = 3;

/**
 * Measures the p99 of endpoints that respond, in each phase: while all do, and while the other half takes requests and
 * never responds.
 */
export const measureNeighbours = async (fixture: Fixture): Promise<{ undisturbed: number[]; disturbed: number[] }> => {
  const { directory, receivers } = fixture;
  const targets = manyOrigins(fixture.port, endpoints);
  // Hanging endpoints are called again and again, so that they hang all the time; and they are never stopped.
  const worker = await fixture.startWorker('https', {
    WEBHOOK_TIMEOUT: '3s',
    WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '2s').join(','),
  });
  await directory.register(targets);
  await receivers.call('watch', healthy);
  const phase = async (hanging: boolean): Promise<number> => {
    await receivers.call('hang', hanging ? healthy : null);
    const latencies = (await publishEvery(fixture, { events: 16, everyMs: 250 })).flat();
    await receivers.call('hang', null);
    await directory.settled();
    return quantile(latencies, 0.99);
  };
  await phase(false);
  const undisturbed: number[] = [];
  const disturbed: number[] = [];
  for (let i = 0; i < phases; i++) {
    undisturbed.push(await phase(false));
    disturbed.push(await phase(true));
  }
  await directory.unregister(targets);
  await worker.stop();
  return { undisturbed, disturbed };
};

/** Publishes at a steady pace. Returns each event's latencies, ascending. */
const publishEvery = async (
  { directory, receivers }: Fixture,
  pace: { events: number; everyMs: number },
): Promise<number[][]> => {
  const publishedAtMs = new Map<string, number>();
  await receivers.call('arrivals', undefined);
  for (let i = 0; i < pace.events; i++) {
    const startedAtMs = nowMs();
    publishedAtMs.set(await directory.publish(), startedAtMs);
    await sleep(pace.everyMs);
  }
  await sleep(pace.everyMs);
  const arrivals = await receivers.call('arrivals', undefined);
  return [...publishedAtMs].map(([event, atMs]) => (arrivals[event] ?? []).map((arrivedAtMs) => arrivedAtMs - atMs));
};
