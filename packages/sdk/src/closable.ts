/** Async generators that can be closed at any time. */
import { onAbort } from './on-abort.ts';

/**
 * A generator of what `run` yields. Its `return()` does not queue behind a `next()` that still waits, as that of a plain
 * one does: it aborts the signal that `run` has been given, and both settle. The caller's own signal aborts it too. What
 * `run` throws goes through `fail`, but for what closing it made it throw.
 */
export const closable = <T>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncIterable<T>,
  fail?: (error: unknown) => Promise<never>,
): AsyncGenerator<T, void, undefined> => {
  const stop = new AbortController();
  let closed = false;
  async function* body(): AsyncGenerator<T, void, undefined> {
    const abort = () => stop.abort(signal?.reason);
    if (signal?.aborted === true) abort();
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
