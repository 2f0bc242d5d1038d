/**
 * Whether this server can serve a store: it must be a Redis server with a complete data model that this server knows.
 */
import { Redis } from 'ioredis';
import { StoreUnreachable } from '../base/failure.ts';
import { askSentinels } from './connect.ts';
import { keys } from './keys.ts';
import { waitForStore, type Store } from './redis.ts';

/** The version of the data model in `keys.ts`. Raised with every change that an older server would misread. */
export const modelVersion = 1;

/** This server cannot serve the store; the message says what to do. */
export class UnfitStore extends Error {
  override readonly name = 'UnfitStore';
}

/**
 * Selects the database of the URL again. When the server refuses it, the client reports that and goes on in database 0,
 * which may be another directory's.
 */
const selectDatabase = async (store: Store): Promise<void> => {
  let database = 0;
  try {
    await store.call(async (redis) => {
      database = redis instanceof Redis ? (redis.options.db ?? 0) : 0;
      if (database !== 0) await redis.select(database);
    });
  } catch (error) {
    if (error instanceof StoreUnreachable) throw error;
    throw new UnfitStore(`REDIS_URL names database ${database}, which the server refuses: ${String(error)}`);
  }
};

/** Checks the store. Returns the version of its model, if it has one. Throws UnfitStore or StoreUnreachable. */
const checkStore = async (store: Store): Promise<string> => {
  // All three in one round trip: a caller waits for it, and then for what it came for.
  const server = store.call((redis) => redis.info('server'));
  const state = Promise.all([
    selectDatabase(store),
    store.call((redis) => redis.hmget(keys.state, 'model', 'import')),
  ] as const);
  // A Sentinel knows neither command; what it is says more.
  state.catch(() => undefined);
  if (/^(?:redis|server)_mode:sentinel/m.test(await server)) {
    throw new UnfitStore('REDIS_URL leads to a Sentinel: write redis-sentinel://host:port#name-of-the-primary');
  }
  const [, [stored, unfinished]] = await state;
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

/** Checks the store for a server and records the model's version in it, because the server writes by this model. */
export const checkAndStamp = async (store: Store): Promise<void> => {
  // Stores without a version are of version 1. If the store cannot be written to now, a later check records it.
  if ((await checkStore(store)) !== String(modelVersion))
    await store.call((redis) => redis.hset(keys.state, 'model', modelVersion)).catch(() => undefined);
};

/** It may be lost again between two commands. */
const isAway = (error: unknown): false => {
  if (error instanceof StoreUnreachable) return false;
  throw error;
};

/**
 * Waits until the store answers, at most `forMs`, and checks it. False: it does not answer yet. Throws UnfitStore if it
 * cannot be served, or if the Sentinels do not know its primary.
 */
export const firstLook = async (store: Store, urls: readonly string[], forMs: number): Promise<boolean> => {
  if (await waitForStore(store, forMs)) return checkStore(store).then(() => true, isAway);
  if ((await askSentinels(urls)) === 'unknown')
    throw new UnfitStore('REDIS_URL ends in # and a name that the Sentinels do not know');
  return false;
};
