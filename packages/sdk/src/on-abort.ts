/**
 * Listens to a caller's signal. However many calls share a signal, it has a single listener, and none once they are
 * over: Node warns of more than ten.
 */

type Callbacks = Set<() => void> & EventListenerObject;
interface EventListenerObject {
  handleEvent(): void;
}

const waiting = new WeakMap<AbortSignal, Callbacks>();

const callbacksOf = (signal: AbortSignal): Callbacks => {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  const made = Object.assign(callbacks, { handleEvent: () => callbacks.forEach((callback) => callback()) });
  waiting.set(signal, made);
  return made;
};

/**
 * Calls `callback` when the signal aborts, unless the returned function was called first. `callback` must be a new
 * function for each call.
 */
export const onAbort = (signal: AbortSignal | null | undefined, callback: () => void): (() => void) => {
  if (!signal) return () => {};
  const callbacks = callbacksOf(signal);
  callbacks.add(callback);
  // The same listener again changes nothing.
  signal.addEventListener('abort', callbacks);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) signal.removeEventListener('abort', callbacks);
  };
};
