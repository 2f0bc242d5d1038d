/** From Config to a running service: what it is composed of, in the order in which it starts and stops. */
import type { Log } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import { isDoneWithin, systemClock, type Clock } from '../base/time.ts';
import type { Config } from '../config.ts';
import { release, version } from '../release.ts';
import { composeStored } from './compose-stored.ts';
import { openAdmitted } from './open-admitted.ts';
import { startWeb } from './start-web.ts';
import { startWork } from './start-work.ts';
import type { World } from './world.ts';

/** A running service. A worker serves only health and metrics. `hurry` ends the delay before a stop. */
export type App = { readonly port: number; stop: (hurry?: AbortSignal) => Promise<void> };

/** How long a stop waits for what is in flight. */
const drainMs = 10_000;
/** How long it waits after deliveries are cut off, and then for the store and the tracer each to close. */
const afterCutMs = 1_000;
const closeMs = 2_000;

/** Starts the configured roles. Resolves when requests are served; the store may still be away then. */
export const startApp = async (config: Config, log: Log, world: World = {}): Promise<App> => {
  const { role, tracing, baseUrl, http } = config;
  const metrics = createMetrics({ version, release, role });
  const tracer = tracing && (await import('../base/tracing.ts')).startTracing({ version, ...tracing }, log);
  const store = await openAdmitted(config, { log, metrics, tracer, world });
  // Signatures, ids and dates are by the store's clock, on which all processes agree, as soon as it is known.
  const clock: Clock = () => store?.clock.nowMs ?? systemClock();
  const observed = { clock, log, metrics, tracer };
  const stored = store && composeStored(config, { ...observed, store, world });
  const isAtWork = stored !== undefined && role !== 'web';
  const work = isAtWork ? startWork(config, { ...observed, ...stored, world, stopMs: drainMs }) : undefined;
  const web = await startWeb(config, { ...observed, stored });
  log.info({ port: web.port, base_url: baseUrl, role }, 'listening');

  return {
    port: web.port,
    stop: async (hurry) => {
      // A worker gets no traffic from balancers, so they need no time to notice that it leaves.
      const delayMs = role === 'worker' ? 0 : http.shutdownDelayMs;
      const limitMs = delayMs + drainMs;
      // A delivery that is cut off does not count as a failure.
      const timer = setTimeout(() => void stored?.sender.close(), limitMs);
      const stopping = Promise.all([web.stop({ delayMs, drainMs, hurry }), work?.stop()]);
      if (!(await isDoneWithin(limitMs + afterCutMs, stopping)))
        log.warn('the stop took too long, so leases are left to expire');
      clearTimeout(timer);
      await isDoneWithin(closeMs, stored?.close());
      await isDoneWithin(closeMs, tracer?.stop());
      log.info('stopped');
    },
  };
};
