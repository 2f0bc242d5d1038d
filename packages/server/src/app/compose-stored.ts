/** What a process with a store is composed of: what operations and deliveries use. */
import { createIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Clock } from '../base/time.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Config } from '../config.ts';
import { deliveryLimits } from '../delivery/dispatcher.ts';
import { Origins } from '../delivery/origins.ts';
import { createFetchTemplate } from '../outbound/fetch-template.ts';
import { createResolve } from '../outbound/resolve.ts';
import { createSender, type SendWebhook } from '../outbound/send-webhook.ts';
import type { Store } from '../redis/redis.ts';
import { createBotStore } from '../store/bots/bot-store.ts';
import { EventLog } from '../store/events/event-log.ts';
import { deliveredEvents } from '../store/events/log-views.ts';
import { createModerationStore } from '../store/moderation/moderation-store.ts';
import { createPostStore } from '../store/posts/post-store.ts';
import { createReadingStore } from '../store/readings/reading-store.ts';
import { createNoticeStore } from '../store/reports/notice-store.ts';
import { createReportStore } from '../store/reports/report-store.ts';
import { createSigningKeys } from '../store/signing-keys.ts';
import { createQueueState } from '../store/webhooks/queue-state.ts';
import { createWebhookStore, webhookLimits, type WebhookLimit } from '../store/webhooks/webhook-store.ts';
import type { World } from './world.ts';

type Deps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly world: World;
};

export const composeStored = (config: Config, { store, clock, log, metrics, tracer, world }: Deps) => {
  const { webhook, template, baseUrl, categories, approveFirst } = config;
  if (webhook.allowedNetworks.length > 0)
    log.warn('WEBHOOK_ALLOWED_NETWORKS lets webhooks reach addresses that are not public');
  const limits = world.deliveryLimits ?? deliveryLimits;
  const origins = new Origins();
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
  const events = new EventLog(store, log, { baseUrl, former: categories.former });
  const operations = {
    clock,
    ids: createIds(clock),
    signingKeys,
    addressesOf: resolve,
    fetchTemplate: createFetchTemplate(template.origin, resolve),
    sendWebhook,
    deliveredEvents: deliveredEvents(events),
    countRefused: refusalCounter(metrics),
    baseUrl,
    categories,
    approveFirst,
    bots: createBotStore(store),
    posts: createPostStore(store),
    readings: createReadingStore(store),
    reports: createReportStore(store),
    moderation: createModerationStore(store),
    notices: createNoticeStore(store),
    webhooks: createWebhookStore(store, webhook),
    queue: createQueueState(store),
  };
  return {
    store,
    events,
    operations,
    limits,
    origins,
    sender,
    close: async () => {
      await events.stop();
      await sender.close();
      await store.close();
    },
  };
};

/** Each limit counts from 0: a series that began with its first refusal would show no increase to an alert. */
const refusalCounter = ({ webhooksRefused }: Metrics) => {
  for (const limit of webhookLimits) webhooksRefused.inc({ limit }, 0);
  return (limit: WebhookLimit): void => webhooksRefused.inc({ limit });
};
