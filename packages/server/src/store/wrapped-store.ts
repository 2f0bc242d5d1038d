/** What is added to a store: a check after each loss of the connection, acknowledgement by replicas, and metrics. */
import { StoreUnreachable } from '../base/failure.ts';
import { sharedWhileRunning } from '../base/limiter.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing.ts';
import { primaryOf } from './connect.ts';
import { lacks, UnfitStore, type Lack } from './fit-store.ts';
import { wrapStore, type Request, type Send, type Store } from './redis.ts';
import { runScript } from './scripts.ts';

/**
 * A store that is checked before it is used: after each new connection it may be another server, or hold other data.
 * While this server cannot serve it, it counts as away, and the log says why. `check` throws UnfitStore, or
 * StoreUnreachable if the store does not answer. What the store lacks is logged when it is found.
 */
export const checkedStore = (store: Store, check: (store: Store) => Promise<readonly Lack[]>, log: Log): Store => {
  let checkedConnection: number | undefined;
  let reported: string | undefined;
  let hindrance: string | undefined;
  let lacking: readonly Lack[] = [];

  const checkOnce = sharedWhileRunning(async (): Promise<void> => {
    const connection = store.connection();
    try {
      const found = await check(store);
      for (const lack of found)
        if (!lacking.includes(lack)) log.warn({ lack, reason: lacks[lack] }, 'the store is at risk');
      lacking = found;
    } catch (error) {
      hindrance = error instanceof Error ? error.message : undefined;
      if (!(error instanceof UnfitStore)) throw error;
      if (error.message !== reported) log.error({ reason: error.message }, 'the store cannot be used');
      reported = error.message;
      throw new StoreUnreachable(error.message);
    }
    checkedConnection = connection;
    hindrance = undefined;
    if (reported !== undefined) log.info('the store can be used again');
    reported = undefined;
  });

  return wrapStore(
    { ...store, trouble: () => reported ?? store.trouble() ?? hindrance },
    (send) => (request) =>
      checkedConnection === store.connection() ? send(request) : checkOnce().then(() => send(request)),
  );
};

/** A store that measures how long requests take and how often they fail: scripts by name, all else as `command`. */
export const measuredStore = (
  store: Store,
  { storeDuration, storeErrors }: Metrics,
  tracer: Tracer | undefined,
): Store =>
  wrapStore(store, (send) => async (request) => {
    const { name } = request;
    const startedMs = performance.now();
    try {
      return await (tracer === undefined ? send(request) : tracer.span(`store ${name}`, () => send(request)));
    } catch (error) {
      storeErrors.inc({ reason: error instanceof StoreUnreachable ? 'unreachable' : 'refused' });
      throw error;
    } finally {
      storeDuration.observe(`operation="${name}"`, (performance.now() - startedMs) / 1_000);
    }
  });

/** How long replicas may take. Together with the script, a write stays within a command's deadline. */
const replicasMs = 400;

/**
 * A store whose writes are acknowledged only when enough replicas have them (WRITE_REPLICAS). They use `writer`, a
 * second connection, so waiting for replicas does not delay reads. If too few replicas have a write in time, it fails
 * with StoreUnreachable although the store has it: whether it survives is unknown.
 */
export const replicatedStore = (store: Store, writer: Store, replicas: number): Store => {
  const replicated = wrapStore(store, (send): Send => <T>(request: Request<T>): Promise<T> => {
    if (!('script' in request) || !request.script.isReliedOn) return send(request);
    return writer.call(async (redis) => {
      const primary = await primaryOf(redis, request.keys[0] ?? '');
      const reply = await runScript((use) => use(primary), request.script, request);
      const count = await primary.wait(replicas, replicasMs);
      if (count < replicas) throw new StoreUnreachable(`${count} of ${replicas} replicas have the write`);
      return reply as T;
    });
  });
  return {
    ...replicated,
    openCluster: () => {
      writer.openCluster();
      return store.openCluster();
    },
    close: async () => {
      await writer.close();
      await store.close();
    },
  };
};
