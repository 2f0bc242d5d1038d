/** Processes that leave snapshots in the store of a world, and start from them, however few bots it has. */
import { deserialize } from 'node:v8';
import { createLog, readConfig, startApp, type App } from '@bot-directory/testing/server';
import { openTestStore } from '@bot-directory/testing/store';
import { until } from '@bot-directory/testing/until';
import { inflated, type Deflated } from '../../src/directory/segmented-gzip.ts';
import { keys } from '../../src/store/keys.ts';

/** A process uses a snapshot of its own address only. */
const address = 'http://127.0.0.1:1';

export const startSnapshots = async (settings: Record<string, string>) => {
  const store = await openTestStore(settings.REDIS_URL ?? '', { deadlineMs: undefined });
  const start = async () => {
    const own = { HOST: '127.0.0.1', PORT: '0', BASE_URL: address, ROLE: 'web', SHUTDOWN_DELAY: '0s' };
    const config = readConfig({ ...settings, ...own });
    const app: App = await startApp(config, createLog('silent'), { snapshotFrom: 1 });
    const url = `http://127.0.0.1:${app.port}`;
    await until('it is ready', async () => (await fetch(`${url}/readyz`)).ok);
    return { url, stop: () => app.stop() };
  };
  /** Lets the next snapshot be written at once, and not minutes after the last. Returns whether the store has it so. */
  const allow = (): Promise<boolean> =>
    store
      .call((redis) => redis.del(keys.snapshotClaim))
      .then(
        () => true,
        () => false,
      );
  let keeper = await start();
  let isLeaving = false;
  /** Returns the texts of the snapshot that is there. */
  const read = async (): Promise<string[]> => {
    const fields = await store.call((redis) => redis.hgetallBuffer(keys.snapshot));
    const chunks = Object.entries(fields).filter(([field]) => field !== 'head');
    return Promise.all(
      chunks.map(async ([, bytes]) => {
        const { deflated } = deserialize(bytes) as { readonly deflated: Deflated };
        return (await inflated(deflated)).toString();
      }),
    );
  };
  return {
    /** Has a snapshot written while others write, unless one is being written. */
    leave: async (): Promise<void> => {
      if (isLeaving) return;
      isLeaving = true;
      // The response may be a 500: faults take the store away.
      if (await allow()) await fetch(`${keeper.url}/api/bots`);
      isLeaving = false;
    },
    /** Returns the texts of the snapshot, and the process that has started from it. */
    start: async () => {
      await keeper.stop();
      await until('a snapshot may be written', allow);
      // It starts from the snapshot that is there, or leaves one.
      keeper = await start();
      await until('there is a snapshot', async () => (await read()).length > 0);
      const texts = await read();
      const fromIt = await start();
      return { texts, ...fromIt };
    },
    stop: async (): Promise<void> => {
      await keeper.stop();
      await store.close();
    },
  };
};
