/** The version of the data model that is drawn in `keys.ts`, as the store carries it, so that no server misreads another's. */
import { keys } from './keys.ts';
import type { Store } from './redis.ts';

/** Raised with every change of the model that an older server would misread. */
export const modelVersion = 1;

/** The store can't be served by this server; the message says what to do. */
class ModelMismatch extends Error {
  override readonly name = 'ModelMismatch';
}

/** Checks the store's model and stamps it, when it is new or older. Throws ModelMismatch or StoreUnreachable. */
export const checkModel = async (store: Store): Promise<void> => {
  const [stored, unfinished] = await store.call((redis) => redis.hmget(keys.state, 'model', 'import'));
  if (unfinished !== undefined && unfinished !== null) {
    throw new ModelMismatch('an import into this store was not finished: empty the store and import again');
  }
  if (Number(stored ?? 0) > modelVersion) {
    throw new ModelMismatch(
      `the store has data model ${stored}, and this server knows up to ${modelVersion}: start a newer server`,
    );
  }
  // Stores from before the model had a version are of version 1.
  // A store that can't be written to now is stamped by a later start.
  if (stored !== String(modelVersion))
    await store.call((redis) => redis.hset(keys.state, 'model', modelVersion)).catch(() => undefined);
};
