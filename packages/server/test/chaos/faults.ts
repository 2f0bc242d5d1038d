/** The faults, by name. Each strikes a world under load, and says what it may cost; every promise must hold then. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisProxy } from '@bot-directory/testing/redis-proxy';
import { findProgram } from '../../../../scripts/programs.mjs';
import type { Allowance, Ledger } from './ledger.ts';
import { canMount, type ChaosStore, type StoreKind } from './stores.ts';
import { crowd, endpointsHang, replaceAll } from './strikes.ts';
import type { World } from './world.ts';

/** `isShort`: it is part of the suite that runs with every test. Most others have tests of their own there. */
export type Fault = {
  readonly name: string;
  readonly on: StoreKind;
  readonly isShort: boolean;
  readonly strike: (world: World, ledger: Ledger) => Promise<Allowance>;
  /** Why it can't be tried on this machine. */
  readonly impossible?: () => string | undefined;
};

/** Longer than a lease, so that its holder loses it. */
const longMs = 5_000;
const shortMs = 1_500;
const blinkMs = 200;

/** Makes a fault of the network that strikes so many `times`. Each time, it may cut off what is under way. */
const onNetwork = (
  name: string,
  act: (network: RedisProxy) => Promise<unknown>,
  { isShort = true, times = 1 } = {},
): Fault => ({
  name,
  on: 'plain',
  isShort,
  strike: async ({ store: { proxy } }) => {
    for (let i = 0; proxy !== undefined && i < times; i += 1) await act(proxy);
    return { interruptions: times };
  },
});

const onSlowNetwork = (name: string, line: Parameters<RedisProxy['slowDown']>[0]): Fault =>
  onNetwork(
    name,
    async (network) => {
      await network.slowDown(line);
      await sleep(longMs);
      await network.slowDown({});
    },
    { isShort: false },
  );

/** Makes a fault of the store itself. */
const onStore = (
  name: string,
  on: StoreKind,
  act: (store: ChaosStore) => Promise<void> | undefined,
  { isShort = false, allowance = { interruptions: 1 } }: { isShort?: boolean; allowance?: Allowance } = {},
): Fault => ({
  name,
  on,
  isShort,
  strike: async ({ store }) => {
    await act(store);
    return allowance;
  },
});

/** What was sent within the lag of the replica may come again: a run is 32 events at most. */
const lag: Allowance = { interruptions: 16, mayLose: true };

const libfaketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const clockOf = (seconds: number): Record<string, string> => ({
  LD_PRELOAD: libfaketime,
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
  // Only the time of day is set; how long something takes is not.
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/** Only Linux has all of 127.0.0.0/8. */
const needsLinux = (): string | undefined =>
  process.platform === 'linux' ? undefined : 'this machine has one loopback address';

/** In the order that they strike; those on one kind of store share a world, and a promotion comes last. */
export const faults: readonly Fault[] = [
  onNetwork(
    'the network is cut, again and again',
    async (network) => {
      await network.cut();
      await sleep(blinkMs);
    },
    { times: 5 },
  ),
  onNetwork('the network becomes a black hole', async (network) => {
    await network.freeze();
    await sleep(shortMs);
  }),
  onNetwork('new connections are half open', async (network) => {
    await network.silenceNext(6);
    await network.freeze();
    await sleep(shortMs);
  }),
  onNetwork(
    'a reply is reset in its middle',
    async (network) => {
      await network.resetAfter(40);
      await sleep(blinkMs);
    },
    { times: 5 },
  ),
  onSlowNetwork('replies take 2 seconds', { latencyMs: 2_000 }),
  onSlowNetwork('replies come at 1 KB a second', { bytesPerSec: 1_024 }),
  {
    name: 'workers are killed with -9',
    on: 'plain',
    isShort: false,
    strike: async (world) => {
      for (let i = 0; i < 2; i += 1) await world.replaceWorker(i);
      return { interruptions: 2 };
    },
  },
  { name: 'every process is replaced, one by one', on: 'plain', isShort: false, strike: replaceAll },
  { name: 'strangers open all they can', on: 'plain', isShort: false, strike: crowd, impossible: needsLinux },
  { name: 'endpoints of one owner hang', on: 'plain', isShort: false, strike: endpointsHang, impossible: needsLinux },
  {
    name: 'the clocks of workers are 30 seconds apart',
    on: 'plain',
    isShort: false,
    impossible: () => (findProgram('faketime') === undefined ? 'faketime is not installed' : undefined),
    strike: async (world, ledger) => {
      await world.replaceWorker(0, clockOf(15));
      await world.replaceWorker(1, clockOf(-15));
      await ledger.written(100);
      return { interruptions: 2 };
    },
  },
  onStore('Redis is killed with -9', 'plain', (store) => store.crash?.(), { isShort: true }),
  onStore('the primary dies and a replica is promoted', 'plain', (store) => store.promote?.(), { allowance: lag }),
  onStore('Sentinels promote a replica', 'sentinel', (store) => store.promote?.(), { isShort: true, allowance: lag }),
  onStore('a node of a Cluster dies and comes back', 'cluster', (store) => store.crash?.(), { isShort: true }),
  onStore('a Cluster promotes a replica', 'cluster', (store) => store.promote?.(), { allowance: lag }),
  onStore('slots of a Cluster are moved', 'movable', (store) => store.moveSlots?.()),
  {
    ...onStore('the disk under the append-only file is full', 'smallDisk', (store) =>
      store.fillDisk?.(() => sleep(shortMs)),
    ),
    impossible: () => (canMount() ? undefined : 'a small disk takes root on Linux'),
  },
];
