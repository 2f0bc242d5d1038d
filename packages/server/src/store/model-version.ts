/** Whether a store is one that this server can serve: a server of Redis that holds a data model it knows, all of it. */
import { askSentinels } from './connect.ts';
import { keys } from './keys.ts';
import { waitForStore, type Store } from './redis.ts';

/** The version of the model that is drawn in `keys.ts`; raised with every change that an older server would misread. */
export const modelVersion = 1;

/** The store can't be served by this server; the message says what to do. */
export class UnfitStore extends Error {
  override readonly name = 'UnfitStore';
}

/** Checks the store. Gives the version of its model, if it has one. Throws UnfitStore or StoreUnreachable. */
const checkStore = async (store: Store): Promise<string> => {
  const info = await store.call((redis) => redis.info('server'));
  if (info.includes('redis_mode:sentinel')) {
    throw new UnfitStore('REDIS_URL leads to a Sentinel: write redis-sentinel://host:port#name-of-the-primary');
  }
  const [stored, unfinished] = await store.call((redis) => redis.hmget(keys.state, 'model', 'import'));
  if (unfinished !== undefined && unfinished !== null) {
    throw new UnfitStore('an import into this store was not finished: empty the store and import again');
  }
  if (Number(stored ?? 0) > modelVersion) {
    throw new UnfitStore(
      `the store has data model ${stored}, and this server knows up to ${modelVersion}: start a newer server`,
    );
  }
  return stored ?? '';
};

/** The same for a server: what it writes is of its model, and the store says so from then on. */
export const checkAndStamp = async (store: Store): Promise<void> => {
  // Stores from before the model had a version are of version 1.
  // A store that can't be written to now is stamped by a later look.
  if ((await checkStore(store)) !== String(modelVersion))
    await store.call((redis) => redis.hset(keys.state, 'model', modelVersion)).catch(() => undefined);
};

/**
 * Waits until the store at these addresses answers, at most `forMs`, and checks it. False: it does not answer, which may
 * change. Throws UnfitStore when it is none that can be served, or when the Sentinels do not know its primary.
 */
export const firstLook = async (store: Store, urls: readonly string[], forMs: number): Promise<boolean> => {
  if (await waitForStore(store, forMs)) {
    await checkStore(store);
    return true;
  }
  if ((await askSentinels(urls)) === 'unknown')
    throw new UnfitStore('REDIS_URL ends in # and a name that the Sentinels do not know');
  return false;
};
