/** The secrets of a store: each is made on first use, and all processes take the one that is stored. */
import { keys } from './keys.ts';
import type { Store } from '../redis/redis.ts';

/** Returns a secret of the store, or makes it if there is none. A store that lost its bots gets none. */
export const secretOf = async (store: Store, name: 'salt' | 'signing-key', make: () => string): Promise<string> => {
  const stored = await store.call((redis) =>
    name === 'salt' ? redis.hget(keys.state, name) : redis.get(keys.signingKey),
  );
  return stored ?? String(await store.script('agree-on-key', [keys.state, keys.signingKey], [name, make()]));
};
