/** Measures a store: how long operations take and how often they fail. */
import { StoreUnreachable } from '../base/failure.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracer.ts';
import type { Store } from './redis.ts';

/** Wraps a store. Scripts are measured by name, everything else as `command`. */
export const measuredStore = (
  store: Store,
  { storeDuration, storeErrors }: Metrics,
  tracer: Tracer | undefined,
): Store => {
  const measured = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    try {
      return await (tracer === undefined ? work() : tracer.span(`store ${operation}`, work));
    } catch (error) {
      storeErrors.inc({ reason: error instanceof StoreUnreachable ? 'unreachable' : 'refused' });
      throw error;
    } finally {
      storeDuration.observe(`operation="${operation}"`, (performance.now() - startedMs) / 1_000);
    }
  };
  return {
    ...store,
    call: (use) => measured('command', () => store.call(use)),
    run: (script, input) => measured('command', () => store.run(script, input)),
    script: (name, keys, args) => measured(name, () => store.script(name, keys, args)),
    change: (name, keys, args) => measured(name, () => store.change(name, keys, args)),
  };
};
