/** From Config to a running service, with `start()` and `stop()`. */
import { systemClock, type Clock } from '../base/clock.ts';
import { createLog, type Log } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import type { Config } from '../config.ts';
import { release, version } from '../release.ts';
import { firstLook, fitnessCheck } from '../store/fit-store.ts';
import { openStore, type Store, type StoreOptions } from '../store/redis.ts';
import { checkedStore, measuredStore, replicatedStore } from '../store/wrapped-store.ts';
import { composeStored, ownDrainMs, type World } from './compose-stored.ts';
import { startWeb, storeForgotten } from './start-web.ts';

export type { World };

/** A running service. A worker serves only health and metrics. `hurry` ends the delay before a stop. */
export type App = { readonly port: number; stop: (hurry?: AbortSignal) => Promise<void> };

/** How long a start waits for the store before it serves without it. */
const storeWaitMs = 2_000;
/** How long the stop waits after deliveries are cut off, and then for every connection to end. */
const afterCutMs = 1_000;
const closeMs = 2_000;
/** Starts the configured roles. Resolves when requests are served; the store may still be away then. */
export const startApp = async (config: Config, log: Log, world: World = {}): Promise<App> => {
  const offsetMs = world.offsetMs ?? (() => 0);
  const ownClock = world.clock ?? (() => systemClock() + offsetMs());
  const drainMs = world.drainMs ?? ownDrainMs;
  const metrics = createMetrics({ version, release });
  const { tracing } = config;
  const tracer = tracing === undefined ? undefined : (await import('../tracing.ts')).startTracing(tracing, log);
  const opened =
    config.redisUrls.length === 0
      ? undefined
      : openConfiguredStore(config, log, { offsetMs, deadlineMs: world.storeDeadlineMs });
  const check = fitnessCheck(config.writeReplicas);
  const store = opened && measuredStore(checkedStore(opened, check, log), metrics, tracer);
  const clock = agreedClock(store, ownClock);
  if (config.webhook.allowedNetworks.length > 0)
    log.warn('WEBHOOK_ALLOWED_NETWORKS lets webhooks reach addresses that are not public');
  if (config.isStoreless) log.warn('REDIS_URL is none: nothing can be saved');
  else if (opened === undefined) log.error({ reason: storeForgotten }, 'nothing can be saved, and this is not ready');
  else if (!(await firstLook(opened, { forMs: storeWaitMs, check })))
    log.error('the store is unreachable; serving errors until it responds');

  const stored = store === undefined ? undefined : composeStored(config, { store, clock, log, metrics, tracer, world });
  const stopWork = config.role === 'web' ? undefined : stored?.startWork();
  const web = await startWeb(config, { store, stored, clock, log, metrics, tracer });
  log.info({ port: web.port, base_url: config.baseUrl, role: config.role }, 'listening');
  return {
    port: web.port,
    stop: async (hurry) => {
      // A worker gets no traffic from balancers, so they need no time to notice that it leaves.
      const delayMs = config.role === 'worker' ? 0 : config.http.shutdownDelayMs;
      const limitMs = delayMs + drainMs;
      // A delivery that is cut off does not count as a failure.
      const timer = setTimeout(() => void stored?.cutOff(), limitMs);
      if (
        !(await isDoneWithin(limitMs + afterCutMs, Promise.all([web.stop({ delayMs, drainMs, hurry }), stopWork?.()])))
      )
        log.warn('the stop took too long, so leases are left to expire');
      clearTimeout(timer);
      await isDoneWithin(
        closeMs,
        stored?.close().then(() => store?.close()),
      );
      await isDoneWithin(closeMs, tracer?.stop());
      log.info('stopped');
    },
  };
};

/**
 * The store's clock, on which all processes agree: signatures, ids and dates are by it. Until it is known, this
 * process's own.
 */
const agreedClock =
  (store: Store | undefined, ownClock: Clock): Clock =>
  () => {
    const nowMs = store?.clock.nowMs;
    return nowMs === undefined ? ownClock() : nowMs + (store?.offsetMs() ?? 0);
  };

/** Opens a second connection for writes when they wait for replicas. */
const openConfiguredStore = ({ redisUrls, redisTls, writeReplicas }: Config, log: Log, world: StoreOptions): Store => {
  const options = { ...world, tls: redisTls };
  const store = openStore(redisUrls, log, options);
  if (writeReplicas === 0) return store;
  return replicatedStore(store, openStore(redisUrls, createLog('silent'), options), writeReplicas);
};

/** A stop ends even if something hangs. */
const isDoneWithin = async (ms: number, work: Promise<unknown> | undefined): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};
