/** A worker of the simulated day: the real engine, which can die as by `kill -9`. */
import { movedScripts } from '@bot-directory/testing/store';
import { createIds } from '../../packages/server/src/base/ids.ts';
import { createLog } from '../../packages/server/src/base/log.ts';
import { createMetrics } from '../../packages/server/src/base/metrics.ts';
import type { Config } from '../../packages/server/src/config.ts';
import { createBodyIn } from '../../packages/server/src/delivery/deliver.ts';
import { deliveryLimits } from '../../packages/server/src/delivery/dispatcher.ts';
import { startEngine } from '../../packages/server/src/delivery/engine.ts';
import { Origins } from '../../packages/server/src/delivery/origins.ts';
import type { SendWebhook } from '../../packages/server/src/outbound/send-webhook.ts';
import { createDeliveries } from '../../packages/server/src/store/webhooks/deliveries.ts';
import { EventLog } from '../../packages/server/src/store/events/event-log.ts';
import { openStore } from '../../packages/server/src/redis/open-store.ts';
import { type Store, wrapStore } from '../../packages/server/src/redis/redis.ts';
import { createReportStore } from '../../packages/server/src/store/reports/report-store.ts';
import { createWebhookStore } from '../../packages/server/src/store/webhooks/webhook-store.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Less often than in the service: a poll costs sixteen scripts even if it finds nothing, there 86,400 times a day. */
const pollMs = 30_000;

/** What a worker is made of. */
export type WorkerDeps = {
  readonly redisUrl: string;
  readonly webhook: Config['webhook'];
  readonly time: VirtualTime;
  readonly send: SendWebhook;
};

/** Opens the store by the virtual clock. */
export const openVirtualStore = async (redisUrl: string, time: VirtualTime): Promise<Store> => {
  const store = movedScripts(openStore([redisUrl], createLog('error')), time.offsetMs);
  while (!(await store.ping())) await time.quiet();
  return store;
};

/** Starts a worker. After `kill()` it sends nothing, receives nothing and writes nothing. */
export const startWorker = async ({ redisUrl, webhook, time, send }: WorkerDeps) => {
  let isDead = false;
  const opened = await openVirtualStore(redisUrl, time);
  const unlessDead = <T>(work: () => Promise<T>): Promise<T> => {
    const never = new Promise<T>(() => undefined);
    return isDead ? never : work().then((value) => (isDead ? never : value));
  };
  const store = wrapStore(opened, (send) => (request) => unlessDead(() => send(request)));
  const log = createLog('error');
  const clock = (): number => Date.now();
  const steadyMs = (): number => performance.now();
  const events = new EventLog(store, log, { baseUrl: 'https://bots.example.com' });
  const engine = startEngine({
    ...webhook,
    steadyMs,
    pollMs,
    stopMs: 10_000,
    clock,
    log,
    limits: deliveryLimits,
    send: (delivery) => unlessDead(() => send(delivery)),
    bodyIn: createBodyIn('https://directory.example.com'),
    origins: new Origins(),
    cutOff: () => Promise.resolve(),
    successLevel: () => 'debug',
    ids: createIds(clock),
    metrics: createMetrics({ version: '', release: '', role: 'worker' }),
    deliveries: createDeliveries(store, { leaseMs: webhook.leaseMs, steadyMs }),
    events,
    webhooks: createWebhookStore(store, webhook),
    reports: createReportStore(store),
  });
  return {
    events,
    kill: (): void => void (isDead = true),
    stop: async (): Promise<void> => {
      await engine.stop();
      await events.stop();
      await opened.close();
    },
  };
};
