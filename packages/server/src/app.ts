/** Composition: Config → a running service. `start()` and `stop()`; tests may replace clock, resolver and CA. */
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { systemClock, type Clock } from './base/clock.ts';
import { createIds } from './base/ids.ts';
import type { Log } from './base/log.ts';
import type { Config } from './config.ts';
import { createHttpServer } from './http/server.ts';
import { createReads } from './http/reads.ts';
import { createFetchTemplate } from './outbound/fetch-template.ts';
import { createResolve, type Resolve } from './outbound/guarded-lookup.ts';
import { createSender } from './outbound/send-webhook.ts';
import { createBotStore } from './store/bot-store.ts';
import { Directory } from './store/directory.ts';
import { createPostStore } from './store/post-store.ts';
import { createRateLimitStore } from './store/rate-limit-store.ts';
import { openStore, waitForStore, type Store } from './store/redis.ts';
import { createSigningKeys } from './store/signing-keys.ts';
import { createWebhookStore } from './store/webhook-store.ts';

/** What a test may put in the place of the world. */
export type World = { readonly clock?: Clock; readonly resolve?: Resolve; readonly ca?: string };

/** A running service. */
export type App = { readonly port: number; stop: () => Promise<void> };

/** How long a start waits for the store before it serves without it, and a stop for requests in flight. */
const storeWaitMs = 2_000;
const drainMs = 10_000;
const connectionsPerOrigin = 32;

/** Starts listening. Resolves when requests are served; the store may still be away then. */
export const startApp = async (config: Config, log: Log, world: World = {}): Promise<App> => {
  const clock = world.clock ?? systemClock;
  const store = config.redisUrls.length === 0 ? undefined : openStore(config.redisUrls, log);
  const directory = new Directory({ store, baseUrl: config.baseUrl, clock });
  const operations = store === undefined ? undefined : composeOperations(config, { store, clock, world });
  const server = createHttpServer({
    config,
    log,
    reads: createReads({ directory, baseUrl: config.baseUrl, categories: config.categories }, clock),
    operations: operations?.deps,
    site: { directory, templateHost: config.template.host, install: operations === undefined ? undefined : { ...operations.deps, directory } },
    limitStore: store === undefined ? undefined : createRateLimitStore(store),
    ready: () => (store === undefined ? Promise.resolve(true) : store.ping()),
  });
  if (config.webhook.allowedNetworks.length > 0) log.warn('WEBHOOK_ALLOWED_NETWORKS lets webhooks reach addresses that are not public');
  if (store === undefined) log.warn('REDIS_URL is not set: nothing can be saved');
  else if (!(await waitForStore(store, storeWaitMs))) log.error('the store is unreachable; serving errors until it answers');
  const port = await listen(server, config);
  log.info({ port, base_url: config.baseUrl, role: config.role }, 'listening');
  return {
    port,
    stop: async () => {
      await drain(server);
      await operations?.close();
      await store?.close();
      log.info('stopped');
    },
  };
};

const composeOperations = (config: Config, { store, clock, world }: { store: Store; clock: Clock; world: World }) => {
  const ids = createIds(clock);
  const signingKeys = createSigningKeys(store, config.webhook.signingKeys);
  const sender = createSender(
    { clock, ids, signingKeys },
    {
      timeoutMs: config.webhook.timeoutMs,
      allowedNetworks: config.webhook.allowedNetworks,
      resolve: world.resolve ?? createResolve(),
      connectionsPerOrigin,
      ...(world.ca === undefined ? {} : { ca: world.ca }),
    },
  );
  const deps = {
    clock,
    ids,
    bots: createBotStore(store, config.baseUrl),
    posts: createPostStore(store),
    webhooks: createWebhookStore(store, config.webhook.perHost),
    fetchTemplate: createFetchTemplate(config.template.origin),
    sendWebhook: sender.send,
  };
  return { deps, close: sender.close };
};

const listen = (server: Server, { host, port }: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

const drain = async (server: Server): Promise<void> => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  await closed;
  clearTimeout(timer);
};
