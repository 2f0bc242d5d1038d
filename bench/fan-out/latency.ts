/** How long after its publish a delivery arrives: the first on an idle system, and those of healthy endpoints beside hanging ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs, quantile } from '../support/statistics.ts';
import { manyOrigins } from './endpoints.ts';
import type { Fixture } from './fixture.ts';

const idleWebhooks = 100;
const idleEvents = 200;

/** Milliseconds from the call that publishes to the first of a hundred endpoints, of each event. */
export const measureIdle = async (fixture: Fixture): Promise<number[]> => {
  const { directory, receivers } = fixture;
  const targets = manyOrigins(fixture.port, idleWebhooks);
  const worker = await fixture.startWorker('https');
  await directory.register(targets);
  await receivers.call('watch', idleWebhooks);
  // The first events open the connections.
  const latencies = (await publishEvery(fixture, { events: idleEvents, everyMs: 25 })).slice(20);
  await directory.unregister(targets);
  await worker.stop();
  return latencies.map(([first = Number.NaN]) => first);
};

const endpoints = 600;
const healthy = endpoints / 2;
const phases = 3;

/** The p99 of endpoints that answer, of each phase: while all do, and while the other half takes requests and never answers. */
export const measureNeighbours = async (fixture: Fixture): Promise<{ undisturbed: number[]; disturbed: number[] }> => {
  const { directory, receivers } = fixture;
  const targets = manyOrigins(fixture.port, endpoints);
  // Hanging endpoints are called again and again, so that they hang all the time; and they are never stopped.
  const worker = await fixture.startWorker('https', { WEBHOOK_TIMEOUT: '3s', WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '2s').join(',') });
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
  const [undisturbed, disturbed]: [number[], number[]] = [[], []];
  for (let i = 0; i < phases; i++) {
    undisturbed.push(await phase(false));
    disturbed.push(await phase(true));
  }
  await directory.unregister(targets);
  await worker.stop();
  return { undisturbed, disturbed };
};

/** Publishes at a steady pace. Gives each event's latencies, ascending. */
const publishEvery = async ({ directory, receivers }: Fixture, { events, everyMs }: { events: number; everyMs: number }): Promise<number[][]> => {
  const publishedAtMs = new Map<string, number>();
  await receivers.call('arrivals', undefined);
  for (let i = 0; i < events; i++) {
    const startedAtMs = nowMs();
    publishedAtMs.set(await directory.publish(), startedAtMs);
    await sleep(everyMs);
  }
  await sleep(everyMs);
  const arrivals = await receivers.call('arrivals', undefined);
  return [...publishedAtMs].map(([event, atMs]) => (arrivals[event] ?? []).map((arrivedAtMs) => arrivedAtMs - atMs));
};
