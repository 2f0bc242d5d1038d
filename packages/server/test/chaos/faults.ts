/** The faults, by name. Each befalls a world under load, and says what it may cost; all else must hold afterwards. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Allowance, Ledger } from './ledger.ts';
import { canMount, type StoreKind } from './stores.ts';
import type { World } from './world.ts';

/** `isShort`: it is part of the suite that runs with every test. */
export type Fault = {
  readonly name: string;
  readonly on: StoreKind;
  readonly promise: string;
  readonly isShort: boolean;
  readonly strike: (world: World, ledger: Ledger) => Promise<Allowance>;
  /** Why it can't be tried on this machine. */
  readonly impossible?: () => string | undefined;
};

const nothingLost = 'nothing acknowledged is lost';
/** Longer than a lease: whoever held one has lost it. */
const longMs = 5_000;
const shortMs = 1_500;

/** What a lease that ran out during a fault may bring again. */
const outage: Allowance = { interruptions: 1 };

const onNetwork = (
  name: string,
  act: (network: NonNullable<World['store']['proxy']>) => Promise<unknown>,
  { isShort = true, interruptions = 1 } = {},
): Fault => ({
  name,
  on: 'plain',
  promise: nothingLost,
  isShort,
  strike: async ({ store }) => {
    if (store.proxy !== undefined) await act(store.proxy);
    return { interruptions };
  },
});

const libfaketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const clockOf = (seconds: number): Record<string, string> => ({
  LD_PRELOAD: libfaketime,
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
  // Only the time of day is set; how long something takes is not.
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/** In the order that they strike; those on one kind of store share a world, and a promotion comes last. */
export const faults: readonly Fault[] = [
  onNetwork(
    'the network is cut, again and again',
    async (network) => {
      for (let i = 0; i < 5; i += 1) {
        network.cut();
        await sleep(200);
      }
    },
    { interruptions: 5 },
  ),
  onNetwork('the network becomes a black hole', async (network) => {
    network.freeze();
    await sleep(shortMs);
  }),
  onNetwork('new connections are half open', async (network) => {
    network.silenceNext(6);
    network.freeze();
    await sleep(shortMs);
  }),
  onNetwork(
    'a reply is reset in its middle',
    async (network) => {
      for (let i = 0; i < 5; i += 1) {
        network.resetAfter(40);
        await sleep(200);
      }
    },
    { interruptions: 5 },
  ),
  onNetwork(
    'replies take 2 seconds',
    async (network) => {
      network.slowDown({ latencyMs: 2_000 });
      await sleep(longMs);
      network.slowDown({});
    },
    { isShort: false },
  ),
  onNetwork(
    'replies come at 1 KB a second',
    async (network) => {
      network.slowDown({ bytesPerSec: 1_024 });
      await sleep(longMs);
      network.slowDown({});
    },
    { isShort: false },
  ),
  {
    name: 'workers are killed with -9',
    on: 'plain',
    promise: 'a crash of a worker repeats at most two events of a webhook',
    isShort: true,
    strike: async (world) => {
      for (let i = 0; i < 2; i += 1) await world.replaceWorker(i);
      return { interruptions: 2 };
    },
  },
  {
    name: 'the clocks of workers are 30 seconds apart',
    on: 'plain',
    promise: 'all times are the store’s',
    isShort: false,
    impossible: () => (existsSync(libfaketime) ? undefined : 'faketime is not installed'),
    strike: async (world, ledger) => {
      await world.replaceWorker(0, clockOf(15));
      await world.replaceWorker(1, clockOf(-15));
      await ledger.written(100);
      return { interruptions: 2 };
    },
  },
  {
    name: 'Redis is killed with -9',
    on: 'plain',
    promise: nothingLost,
    isShort: true,
    strike: async ({ store }) => {
      await store.crash?.();
      return outage;
    },
  },
  {
    name: 'the primary dies and a replica is promoted',
    on: 'plain',
    promise: 'a failover loses only what was not replicated',
    isShort: true,
    strike: promotion,
  },
  {
    name: 'Sentinels promote a replica',
    on: 'sentinel',
    promise: 'a failover loses only what was not replicated',
    isShort: false,
    strike: promotion,
  },
  {
    name: 'a node of a Cluster dies and comes back',
    on: 'cluster',
    promise: nothingLost,
    isShort: false,
    strike: async ({ store }) => {
      await store.crash?.();
      return outage;
    },
  },
  {
    name: 'a Cluster promotes a replica',
    on: 'cluster',
    promise: 'a failover loses only what was not replicated',
    isShort: false,
    strike: promotion,
  },
  {
    name: 'slots of a Cluster are moved',
    on: 'movable',
    promise: nothingLost,
    isShort: false,
    strike: async ({ store }) => {
      await store.moveSlots?.();
      return outage;
    },
  },
  {
    name: 'the disk under the append-only file is full',
    on: 'smallDisk',
    promise: nothingLost,
    isShort: false,
    impossible: () => (canMount() ? undefined : 'a small disk takes root on Linux'),
    strike: async ({ store }) => {
      await store.fillDisk?.(() => sleep(shortMs));
      return outage;
    },
  },
];

/** What was sent within the lag of the replica may come again: a run is 32 events at most. */
async function promotion({ store }: World): Promise<Allowance> {
  await store.promote?.();
  return { interruptions: 16, mayLose: true };
}
