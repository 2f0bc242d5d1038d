/**
 * A store that is checked before it is used: after each new connection it may be another server, or hold other data.
 * While this server cannot serve it, it counts as away, and the log says why.
 */
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import { UnfitStore } from './model-version.ts';
import type { Store } from './redis.ts';

/** Wraps a store. `check` throws UnfitStore, or StoreUnreachable if the store does not answer. */
export const checkedStore = (store: Store, check: (store: Store) => Promise<void>, log: Log): Store => {
  let checked: number | undefined;
  let checking: Promise<void> | undefined;
  let reported: string | undefined;

  const look = async (): Promise<void> => {
    const connection = store.connection();
    try {
      await check(store);
    } catch (error) {
      if (!(error instanceof UnfitStore)) throw error;
      if (error.message !== reported) log.error({ reason: error.message }, 'the store cannot be served');
      reported = error.message;
      throw new StoreUnreachable(error.message);
    }
    checked = connection;
    if (reported !== undefined) log.info('the store can be served again');
    reported = undefined;
  };
  /** One check for all callers that wait. */
  const looked = (): Promise<void> => (checking ??= look().finally(() => (checking = undefined)));
  const afterLook = <T>(use: () => Promise<T>): Promise<T> =>
    checked === store.connection() ? use() : looked().then(use);

  return {
    ...store,
    call: (use) => afterLook(() => store.call(use)),
    run: (script, input) => afterLook(() => store.run(script, input)),
    script: (name, keys, args) => afterLook(() => store.script(name, keys, args)),
    change: (name, keys, args) => afterLook(() => store.change(name, keys, args)),
    ping: () => afterLook(() => store.ping()).catch(() => false),
  };
};
