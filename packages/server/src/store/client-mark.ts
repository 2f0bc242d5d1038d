/** How clients are distinguished without storing who they are. */
import { createHash, randomBytes } from 'node:crypto';
import { keys } from './keys.ts';
import type { Store } from '../redis/redis.ts';

/** The mark of a client. Nothing is known of one whose connection has ended. */
export const markIfKnown = async (store: Store, client: string | undefined): Promise<string | undefined> =>
  client === undefined || client === '' ? undefined : markOf(store, client);

/** Returns all that is stored of a client's network: a salted hash. The salt is made on first use. */
export const markOf = async (store: Store, network: string): Promise<string> => {
  await store.call((redis) => redis.hsetnx(keys.state, 'salt', randomBytes(16).toString('hex')));
  const salt = (await store.call((redis) => redis.hget(keys.state, 'salt'))) ?? '';
  return createHash('sha256')
    .update(JSON.stringify([salt, network]))
    .digest('base64url')
    .slice(0, 22);
};
