/** Everything that needs a store: the operations, the event log, and the engine of deliveries. */
import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import { levelAtRate, type Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracer.ts';
import type { Config } from '../config.ts';
import { createBodyIn } from '../delivery/body-in.ts';
import { startEngine } from '../delivery/engine.ts';
import type { LaneLimits } from '../delivery/lanes.ts';
import { Origins } from '../delivery/origins.ts';
import { startRechecks, type RecheckDeps } from '../recheck/rechecker.ts';
import { createFetchTemplate } from '../outbound/fetch-template.ts';
import { createResolve, type Resolve } from '../outbound/resolve.ts';
import { createSender, type SendWebhook } from '../outbound/send-webhook.ts';
import { createBotStore } from '../store/bot-store.ts';
import { createDeliveries } from '../store/deliveries.ts';
import { EventLog } from '../store/event-log.ts';
import { deliveredEvents } from '../store/log-views.ts';
import { createModerationStore, createReportStore } from '../store/moderation-store.ts';
import { createPostStore } from '../store/post-store.ts';
import { createQueueState } from '../store/queue-state.ts';
import { createReadingStore } from '../store/reading-store.ts';
import type { Store } from '../store/redis.ts';
import { createSigningKeys } from '../store/signing-keys.ts';
import { createWebhookStore } from '../store/webhook-store.ts';

/** What a test may replace of the outside world. */
export type World = {
  /** This process's own clock, which may be wrong. */
  readonly clock?: Clock;
  /** How far a test has moved time: the store's, and this process's unless it has a `clock`. */
  readonly offsetMs?: () => number;
  readonly resolve?: Resolve;
  /** The longest the store may take to answer before it counts as away. */
  readonly storeDeadlineMs?: number | undefined;
  readonly ca?: string;
  readonly send?: SendWebhook;
  readonly pollMs?: number;
  /** How long a stop waits for what is in flight. */
  readonly drainMs?: number;
  /** Limits of concurrent deliveries. With fewer slots, a few endpoints suffice to exceed them. */
  readonly laneLimits?: LaneLimits;
};

/** How long a stop waits for what is in flight. */
export const ownDrainMs = 10_000;
/**
 * Concurrent deliveries in one process: in all; to one origin, which has as many connections; to one registrable
 * domain; to one address.
 */
const ownLaneLimits: LaneLimits = { concurrency: 1_024, perOrigin: 64, perDomain: 128, perAddress: 256 };
/** How often the engine checks everything again, whether or not there was a notification. */
const pollMs = 1_000;
/** The same of what reads templates again: a bot is not due to the second. */
const recheckPollMs = 30_000;

type StoredDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly world: World;
};

/** Makes them. */
export const composeStored = (config: Config, { store, clock, log, metrics, tracer, world }: StoredDeps) => {
  const { webhook } = config;
  const ids = createIds(clock);
  const origins = new Origins();
  const laneLimits = world.laneLimits ?? ownLaneLimits;
  const signingKeys = createSigningKeys(store, webhook.signingKeys);
  const sender = createSender(
    { clock, signingKeys },
    {
      timeoutMs: webhook.timeoutMs,
      allowedNetworks: webhook.allowedNetworks,
      resolve: world.resolve ?? createResolve(),
      connectionsPerOrigin: laneLimits.perOrigin,
      onConnect: (origin, address) => origins.connected(origin, address),
      ...(world.ca === undefined ? {} : { ca: world.ca }),
    },
  );
  const send = world.send ?? sender.send;
  const sendWebhook: SendWebhook =
    tracer === undefined ? send : (request) => tracer.span('webhook attempt', () => send(request));
  const events = new EventLog(store, log);
  const queue = createQueueState(store);
  const operations = {
    clock,
    ids,
    signingKeys,
    queue,
    baseUrl: config.baseUrl,
    bots: createBotStore(store, config.baseUrl),
    approveFirst: config.approveFirst,
    moderation: createModerationStore(store),
    reports: createReportStore(store),
    readings: createReadingStore(store),
    posts: createPostStore(store),
    webhooks: createWebhookStore(store, webhook),
    deliveredEvents: deliveredEvents(events),
    fetchTemplate: createFetchTemplate(config.template.origin),
    sendWebhook,
  };
  return {
    ...{ operations, events, queue },
    startWork: (): (() => Promise<unknown>) => {
      const steadyMs = (): number => performance.now() + store.offsetMs();
      const deliveries = createDeliveries(store, { leaseMs: webhook.leaseMs, steadyMs });
      const times = { steadyMs, pollMs: world.pollMs ?? pollMs, stopMs: world.drainMs ?? ownDrainMs };
      const sending = { send: sendWebhook, limits: laneLimits, origins, cutOff: () => sender.close() };
      const made = { bodyIn: createBodyIn(config.baseUrl), successLevel: levelAtRate(config.attemptLogRate, clock) };
      const common = { ids, clock, log, metrics, deliveries, events };
      const { webhooks, reports } = operations;
      const engine = startEngine({ ...webhook, ...times, ...sending, ...made, ...common, webhooks, reports });
      const checks = startChecks(config, world, { ...operations, log, metrics });
      return () => Promise.all([engine.stop(), checks?.stop()]);
    },
    cutOff: () => sender.close(),
    close: async () => {
      await events.stop();
      await sender.close();
    },
  };
};

/** Starts the checks of templates, unless they are off. */
const startChecks = ({ template }: Config, world: World, deps: Omit<RecheckDeps, 'passMs' | 'pollMs'>) =>
  template.recheckMs === 0
    ? undefined
    : startRechecks({ ...deps, passMs: template.recheckMs, pollMs: world.pollMs ?? recheckPollMs });
