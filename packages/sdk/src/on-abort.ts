/**
 * Listens to a caller's signal. However many calls share a signal, it has a single listener, and none once they are
 * over.
 */

type Callbacks = Set<() => void> & EventListenerObject;
interface EventListenerObject {
  handleEvent(): void;
}

const waiting = new WeakMap<AbortSignal, Callbacks>();

const listenTo = (signal: AbortSignal): Callbacks => {
  const callbacks = new Set<() => void>();
  const listener = Object.assign(callbacks, { handleEvent: () => callbacks.forEach((callback) => callback()) });
  waiting.set(signal, listener);
  signal.addEventListener('abort', listener);
  return listener;
};

/**
 * Calls `callback` when the signal aborts, unless the returned function was called first. `callback` must be a new
 * function for each call.
 */
export const onAbort = (signal: AbortSignal | null | undefined, callback: () => void): (() => void) => {
  if (!signal) return () => {};
  const callbacks = waiting.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', callbacks);
  };
};
