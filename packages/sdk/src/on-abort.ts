/** Listening to a caller's signal. However many calls share one, it carries a single listener, and none once they are over. */

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

/** Calls `callback`, a function of this call alone, when the signal aborts; or not, once the returned function was called. */
export const onAbort = (signal: AbortSignal | undefined, callback: () => void): (() => void) => {
  if (signal === undefined) return () => {};
  const callbacks = waiting.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', callbacks);
  };
};
