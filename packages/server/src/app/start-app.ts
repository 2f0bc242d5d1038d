/** From Config to a running service, with `start()` and `stop()`. */
import { systemClock, type Clock } from '../base/time.ts';
import { createIds } from '../base/ids.ts';
import { levelAtRate, type Log } from '../base/log.ts';
import { createMetrics, type Metrics } from '../base/metrics.ts';
import type { Repeated } from '../base/repeat.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Config } from '../config.ts';
import { createBodyIn } from '../delivery/deliver.ts';
import { deliveryLimits, type DeliveryLimits } from '../delivery/dispatcher.ts';
import { startEngine } from '../delivery/engine.ts';
import { Origins } from '../delivery/origins.ts';
import { startNotices, type NoticeDeps } from '../operations/notify-operator.ts';
import { startRechecks, type RecheckDeps } from '../operations/recheck-templates.ts';
import { createFetchTemplate } from '../outbound/fetch-template.ts';
import { createResolve } from '../outbound/resolve.ts';
import { createSender, type SendWebhook } from '../outbound/send-webhook.ts';
import { release, version } from '../release.ts';
import { createBotStore } from '../store/bots/bot-store.ts';
import { createDeliveries } from '../store/webhooks/deliveries.ts';
import { EventLog } from '../store/events/event-log.ts';
import { createAdmission, firstLook } from '../store/admission/admit.ts';
import { deliveredEvents } from '../store/events/log-views.ts';
import { createModerationStore } from '../store/moderation/moderation-store.ts';
import { createNoticeStore } from '../store/reports/notice-store.ts';
import { createReportStore } from '../store/reports/report-store.ts';
import { createPostStore } from '../store/posts/post-store.ts';
import { createQueueState } from '../store/webhooks/queue-state.ts';
import { createReadingStore } from '../store/readings/reading-store.ts';
import { openStore } from '../redis/open-store.ts';
import type { Store } from '../redis/redis.ts';
import type { OwnSettings } from '../store/admission/note.ts';
import { createSigningKeys } from '../store/signing-keys.ts';
import { createWebhookStore, type WebhookLimit, webhookLimits } from '../store/webhooks/webhook-store.ts';
import { startWeb, storeForgotten } from './start-web.ts';

/** What tests and benchmarks replace of the outside world. */
export type World = {
  /** A store whose scripts have another text of `clock.lua`, or that waits longer on a busy machine. */
  readonly openStore?: typeof openStore;
  /** The authority of their endpoints. Node reads the system's when a process starts. */
  readonly ca?: string;
  /** Sends nothing, to measure the bookkeeping alone. */
  readonly send?: SendWebhook;
  /** How often deliveries and rechecks look for work: hardly ever, where a notification has to do. */
  readonly pollMs?: number;
  /** Limits of concurrent deliveries. With lower ones, a few endpoints suffice to reach them. */
  readonly deliveryLimits?: DeliveryLimits;
};

/** A running service. A worker serves only health and metrics. `hurry` ends the delay before a stop. */
export type App = { readonly port: number; stop: (hurry?: AbortSignal) => Promise<void> };

/** How long a start waits for the store before it serves without it. */
const storeWaitMs = 2_000;
/** How long the stop waits after deliveries are cut off, and then for the store and the tracer each to close. */
const afterCutMs = 1_000;
const closeMs = 2_000;
/** Starts the configured roles. Resolves when requests are served; the store may still be away then. */
export const startApp = async (config: Config, log: Log, world: World = {}): Promise<App> => {
  const metrics = createMetrics({ version, release, role: config.role });
  const { tracing } = config;
  const tracer = tracing && (await import('../base/tracing.ts')).startTracing({ version, ...tracing }, log);
  const { redisUrls, redisTls: tls, redisKeyPrefix: keyPrefix, writeReplicas } = config;
  const open = world.openStore ?? openStore;
  const opened = redisUrls.length === 0 ? undefined : open(redisUrls, log, { tls, keyPrefix, writeReplicas });
  const terms = { writeReplicas, mayBeNew: config.emptyStore === 'accept', settings: ownSettings(config) };
  const admission = opened && createAdmission(opened, terms, { log, metrics, tracer });
  const store = admission?.store;
  // Signatures, ids and dates are by the store's clock, on which all processes agree, as soon as it is known.
  const clock: Clock = () => store?.clock.nowMs ?? systemClock();
  if (config.webhook.allowedNetworks.length > 0)
    log.warn('WEBHOOK_ALLOWED_NETWORKS lets webhooks reach addresses that are not public');
  if (config.isStoreless) log.warn('REDIS_URL is none: nothing can be saved');
  else if (opened === undefined) log.error({ reason: storeForgotten }, 'nothing can be saved, and this is not ready');
  else if (!(await firstLook(opened, { forMs: storeWaitMs, check: admission?.admit })))
    log.error('the store cannot be used yet; serving errors until it can');

  const stored = store === undefined ? undefined : composeStored(config, { store, clock, log, metrics, tracer, world });
  const stopWork = config.role === 'web' ? undefined : stored?.startWork();
  const web = await startWeb(config, { stored, clock, log, metrics, tracer });
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
      await isDoneWithin(closeMs, stored?.close());
      await isDoneWithin(closeMs, tracer?.stop());
      log.info('stopped');
    },
  };
};

const ownSettings = ({ baseUrl, template, categories, webhook, role }: Config): OwnSettings => ({
  baseUrl,
  templateHost: template.host,
  categories,
  release,
  isWeb: role !== 'worker',
  retryDelaysMs: webhook.retryDelaysMs,
  signingKeys: webhook.signingKeys,
});

/** Returns whether work ends in time: a stop must end even if something hangs. */
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

/** How long a stop waits for what is in flight. */
const drainMs = 10_000;
/** How often the engine checks everything again, whether or not there was a notification. */
const pollMs = 1_000;
/** The same for rechecks of templates and notices for the operator, which need not be on time to the second. */
const slowPollMs = 30_000;

type StoredDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly world: World;
};

/** Each limit counts from 0: a series that began with its first refusal would show no increase to an alert. */
const refusalCounter = ({ webhooksRefused }: Metrics) => {
  for (const limit of webhookLimits) webhooksRefused.inc({ limit }, 0);
  return (limit: WebhookLimit): void => webhooksRefused.inc({ limit });
};

/** The subjects of the store. */
const subjectsOf = (store: Store, limits: Config['webhook']) => ({
  bots: createBotStore(store),
  posts: createPostStore(store),
  readings: createReadingStore(store),
  reports: createReportStore(store),
  moderation: createModerationStore(store),
  notices: createNoticeStore(store),
  webhooks: createWebhookStore(store, limits),
  queue: createQueueState(store),
});

/** Makes everything that needs a store: the operations, the event log, and the engine of deliveries. */
const composeStored = (config: Config, { store, clock, log, metrics, tracer, world }: StoredDeps) => {
  const { webhook } = config;
  const ids = createIds(clock);
  const origins = new Origins();
  const limits = world.deliveryLimits ?? deliveryLimits;
  const signingKeys = createSigningKeys(store, webhook.signingKeys);
  const resolve = createResolve();
  const sender = createSender(
    { clock, signingKeys },
    {
      timeoutMs: webhook.timeoutMs,
      allowedNetworks: webhook.allowedNetworks,
      resolve,
      pingsPerOrigin: limits.perDomain,
      onConnect: (origin, address) => origins.connected(origin, address),
      ...(world.ca === undefined ? {} : { ca: world.ca }),
    },
  );
  const send = world.send ?? sender.send;
  const sendWebhook: SendWebhook =
    tracer === undefined ? send : (request) => tracer.span('webhook attempt', () => send(request));
  const events = new EventLog(store, log, { baseUrl: config.baseUrl, former: config.categories.former });
  const operations = {
    clock,
    ids,
    signingKeys,
    addressesOf: resolve,
    countRefused: refusalCounter(metrics),
    baseUrl: config.baseUrl,
    categories: config.categories,
    approveFirst: config.approveFirst,
    ...subjectsOf(store, webhook),
    deliveredEvents: deliveredEvents(events),
    fetchTemplate: createFetchTemplate(config.template.origin, resolve),
    sendWebhook,
  };
  return {
    store,
    operations,
    events,
    startWork: (): (() => Promise<unknown>) => {
      const steadyMs = (): number => store.clock.steadyMs();
      const deliveries = createDeliveries(store, { leaseMs: webhook.leaseMs, steadyMs });
      const times = { steadyMs, pollMs: world.pollMs ?? pollMs, stopMs: drainMs };
      const sending = { send: sendWebhook, limits, origins, cutOff: () => sender.close() };
      const made = { bodyIn: createBodyIn(config.baseUrl), successLevel: levelAtRate(config.attemptLogRate, clock) };
      const common = { ids, clock, log, metrics, deliveries, events };
      const { webhooks, reports } = operations;
      const engine = startEngine({ ...webhook, ...times, ...sending, ...made, ...common, webhooks, reports });
      const rounds = startRounds(config, { ...operations, log, metrics, pollMs: world.pollMs ?? slowPollMs });
      return () => Promise.all([engine.stop(), ...rounds.map((round) => round.stop())]);
    },
    cutOff: () => sender.close(),
    close: async () => {
      await events.stop();
      await sender.close();
      await store.close();
    },
  };
};

/** Starts the rounds that are not off: the checks of templates, and notices for the operator. */
const startRounds = (
  { template, operatorWebhook }: Config,
  deps: Omit<RecheckDeps, 'passMs'> & NoticeDeps,
): readonly Repeated[] => [
  ...(template.recheckMs === 0 ? [] : [startRechecks({ ...deps, passMs: template.recheckMs })]),
  ...(operatorWebhook === undefined ? [] : [startNotices(deps, operatorWebhook)]),
];
