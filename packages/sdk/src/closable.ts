/** Async generators that can be closed at any time. */
import type { CallOptions } from './options.ts';
import { onAbort } from './on-abort.ts';

/**
 * Makes a generator of what `run` yields. A plain generator's `return()` queues behind a pending `next()`; this one
 * aborts the signal given to `run`, and both settle. The caller's own signal does the same. Errors of `run` go through
 * `fail`, except those caused by closing.
 */
export const closable = <T>(
  options: Pick<CallOptions, 'signal'>,
  run: (signal: AbortSignal) => AsyncIterable<T>,
  fail?: (error: unknown) => Promise<never>,
): AsyncGenerator<T, void, undefined> => {
  const signal = options.signal || new AbortController().signal;
  const stop = new AbortController();
  let closed = false;
  async function* body(): AsyncGenerator<T, void, undefined> {
    const abort = () => stop.abort(signal.reason);
    if (signal.aborted) abort();
    const forget = onAbort(signal, abort);
    try {
      yield* run(stop.signal);
    } catch (error) {
      if (closed) return;
      await fail?.(error);
      throw error;
    } finally {
      forget();
    }
  }
  const generator = body();
  const end = generator.return.bind(generator);
  generator.return = (value) => {
    closed = true;
    stop.abort();
    return end(value);
  };
  return generator;
};
