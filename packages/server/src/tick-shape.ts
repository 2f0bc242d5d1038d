/**
 * Keeps `process.nextTick` fast. Node queues each callback as an object literal with computed keys, and V8 stores the
 * shapes of such a literal weakly: if a full collection finds no callback queued, it may drop them, and from then on
 * every call of `nextTick` takes the slow path. A request makes several. See decision 0085.
 */
import { createHook } from 'node:async_hooks';

let kept: object | undefined;

/** Call once, when the process starts. It holds one such object, and so its shapes, for as long as the process runs. */
export const keepTickShape = (): void => {
  const hook = createHook({
    init: (_id, _type, _triggerId, tick) => {
      kept ??= tick;
    },
  });
  hook.enable();
  process.nextTick(() => undefined);
  hook.disable();
};
