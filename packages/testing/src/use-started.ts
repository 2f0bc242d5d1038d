/** What the tests of a file share: started before the first of them, and stopped after the last. */
import { afterAll, beforeAll } from 'vitest';

/**
 * Starts something for the tests of a file, or of a `describe`, and stops it after them. What is started first is
 * stopped last. Use it from the first test or hook on.
 */
export const useStarted = <T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): T => {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.stop());
  return new Proxy({} as T, {
    get: (_, name) => {
      if (started === undefined) throw new Error(`not started yet: ${String(name)} was read outside tests and hooks`);
      const value: unknown = Reflect.get(started, name);
      // Called on the proxy, a method would miss its private fields.
      return typeof value === 'function' ? (value.bind(started) as unknown) : value;
    },
  });
};
