/**
 * What a delivery costs when events are far apart, as they are for most directories: ours, a bare loop that keeps its
 * connections (the limit), and one that makes a handshake for each post, by turns over the same receivers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../support/statistics.ts';
import { manyOrigins } from './endpoints.ts';
import type { Fixture } from './fixture.ts';

/** Microseconds of CPU that the sender's process used for a delivery, in each round. */
export type SpacedCpu = Record<'ours' | 'bare, kept' | 'bare, handshakes', number[]>;

const webhooks = 1_000;
const rounds = 9;
const bareAtOnce = 64;

/** Sends an event to 1,000 origins every `everyMs`, `rounds` times after one that opens the connections. */
export const measureSpaced = async (fixture: Fixture, everyMs: number): Promise<SpacedCpu> => {
  const { directory, receivers } = fixture;
  const targets = manyOrigins(fixture.port, webhooks);
  await directory.publish();
  const post = await directory.lastEvent();
  const [worker, kept, closing] = await Promise.all([
    fixture.startWorker('https'),
    fixture.startBare(post, { connectionsFor: 'long' }),
    fixture.startBare(post, { connectionsFor: 'one post' }),
  ]);
  await directory.register(targets);
  const round = { urls: targets.map(({ url }) => url), times: 1, atOnce: bareAtOnce };
  const senders = {
    ours: {
      send: () => directory.publish().then(directory.settled),
      cpuMs: () => worker.call('cpuMs', undefined),
    },
    'bare, kept': { send: () => kept.call('round', round), cpuMs: () => kept.call('cpuMs', undefined) },
    'bare, handshakes': { send: () => closing.call('round', round), cpuMs: () => closing.call('cpuMs', undefined) },
  };
  const cpu: SpacedCpu = { ours: [], 'bare, kept': [], 'bare, handshakes': [] };
  const names = Object.keys(cpu) as (keyof SpacedCpu)[];
  const startedMs = nowMs();
  for (let turn = 0; turn < (rounds + 1) * names.length; turn++) {
    await sleep(startedMs + (turn * everyMs) / names.length - nowMs());
    const name = names[turn % names.length] ?? 'ours';
    const { send, cpuMs } = senders[name];
    const last = receivers.call('expect', webhooks);
    const beforeMs = await cpuMs();
    await send();
    await last;
    const tookMs = (await cpuMs()) - beforeMs;
    if (turn >= names.length) cpu[name].push((tookMs / webhooks) * 1e3);
  }
  await directory.unregister(targets);
  await Promise.all([worker, kept, closing].map((child) => child.stop()));
  return cpu;
};
