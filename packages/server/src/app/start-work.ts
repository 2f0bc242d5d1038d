/** The worker's part of a process: deliveries, checks of templates, and notices for the operator. */
import { levelAtRate, type Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Clock } from '../base/time.ts';
import type { Config } from '../config.ts';
import { createBodyIn } from '../delivery/deliver.ts';
import { startEngine } from '../delivery/engine.ts';
import { startNotices } from '../operations/notify-operator.ts';
import { startRechecks } from '../operations/recheck-templates.ts';
import { createDeliveries } from '../store/webhooks/deliveries.ts';
import type { composeStored } from './compose-stored.ts';
import type { World } from './world.ts';

type Deps = ReturnType<typeof composeStored> & {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly world: World;
  /** The longest that a stop of deliveries may take. */
  readonly stopMs: number;
};

/** How often the engine checks everything again, whether or not there was a notification. */
const enginePollMs = 1_000;
/** The same for rechecks of templates and notices for the operator, which need not be on time to the second. */
const slowPollMs = 30_000;

/** Starts what is not off. `stop()` resolves when what is under way is done. */
export const startWork = (config: Config, deps: Deps): { readonly stop: () => Promise<unknown> } => {
  const { store, events, operations, limits, origins, sender, clock, log, metrics, world, stopMs } = deps;
  const { webhook, template, operatorWebhook } = config;
  const { ids, webhooks, reports, sendWebhook: send } = operations;
  const steadyMs = (): number => store.clock.steadyMs();
  const parts = [
    startEngine({
      ...webhook,
      ids,
      clock,
      log,
      metrics,
      events,
      webhooks,
      reports,
      limits,
      origins,
      send,
      steadyMs,
      stopMs,
      pollMs: world.pollMs ?? enginePollMs,
      deliveries: createDeliveries(store, { leaseMs: webhook.leaseMs, steadyMs }),
      cutOff: () => sender.close(),
      bodyIn: createBodyIn(config.baseUrl),
      successLevel: levelAtRate(config.attemptLogRate, clock),
    }),
  ];
  const round = { ...operations, log, metrics, pollMs: world.pollMs ?? slowPollMs };
  if (template.recheckMs > 0) parts.push(startRechecks({ ...round, passMs: template.recheckMs }));
  if (operatorWebhook !== undefined) parts.push(startNotices(round, operatorWebhook));
  return { stop: () => Promise.all(parts.map((part) => part.stop())) };
};
