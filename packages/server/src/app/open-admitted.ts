/** The store of a process: opened and admitted by its settings. */
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Config } from '../config.ts';
import { openStore } from '../redis/open-store.ts';
import type { Store } from '../redis/redis.ts';
import { release } from '../release.ts';
import { createAdmission, firstLook } from '../store/admission/admit.ts';
import type { World } from './world.ts';

type Deps = {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly world: World;
};

/** Why a process without a store is not ready. */
export const storeForgotten = 'REDIS_URL is not set: set it, or set it to none if nothing is to be saved';

/** How long a start waits for the store before it serves without it. */
const storeWaitMs = 2_000;

/** Opens the store, and logs why it cannot be used yet. `undefined`: there is none, so nothing can be saved. */
export const openAdmitted = async (config: Config, deps: Deps): Promise<Store | undefined> => {
  const { redisUrls, redisTls: tls, redisKeyPrefix: keyPrefix, writeReplicas } = config;
  const { log, world } = deps;
  if (redisUrls.length === 0) {
    if (config.isStoreless) log.warn('REDIS_URL is none: nothing can be saved');
    else log.error({ reason: storeForgotten }, 'nothing can be saved, and this is not ready');
    return undefined;
  }
  const opened = (world.openStore ?? openStore)(redisUrls, log, { tls, keyPrefix, writeReplicas });
  const terms = { writeReplicas, mayBeNew: config.emptyStore === 'accept', settings: sharedSettings(config) };
  const { store, admit } = createAdmission(opened, terms, deps);
  if (!(await firstLook(opened, { forMs: storeWaitMs, check: admit })))
    log.error('the store cannot be used yet; serving errors until it can');
  return store;
};

/** Those that must be equal in all processes. */
const sharedSettings = ({ baseUrl, template, categories, webhook, role }: Config) => ({
  baseUrl,
  templateHost: template.host,
  categories,
  release,
  isWeb: role !== 'worker',
  retryDelaysMs: webhook.retryDelaysMs,
  signingKeys: webhook.signingKeys,
});
