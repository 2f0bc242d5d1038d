/**
 * Listens to a caller's signal. However many calls share a signal, it has a single listener, and none once they are
 * over: Node warns of more than ten.
 */

/** Makes a set of callbacks that is a listener itself. */
const makeCallbacks = () =>
  Object.assign(new Set<() => void>(), {
    handleEvent(this: Set<() => void>) {
      this.forEach((callback) => callback());
    },
  });

const waiting = new WeakMap<AbortSignal, ReturnType<typeof makeCallbacks>>();

/**
 * Calls `callback` when the signal aborts, unless the returned function was called first. `callback` must be a new
 * function for each call.
 */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const callbacks = waiting.get(signal) ?? makeCallbacks();
  waiting.set(signal, callbacks.add(callback));
  // The same listener again changes nothing.
  signal.addEventListener('abort', callbacks);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) signal.removeEventListener('abort', callbacks);
  };
};
