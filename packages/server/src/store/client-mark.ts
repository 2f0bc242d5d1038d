/** How clients are distinguished without storing who they are. */
import { createHash, randomBytes } from 'node:crypto';
import type { Store } from '../redis/redis.ts';
import { secretOf } from './secret.ts';

/** The mark of a client. Nothing is known of one whose connection has ended. */
export const markIfKnown = async (store: Store, client: string | undefined): Promise<string | undefined> =>
  client === undefined || client === '' ? undefined : markOf(store, client);

/** Returns all that is stored of a client's network: a salted hash. The salt is made on first use. */
export const markOf = async (store: Store, network: string): Promise<string> => {
  const salt = await secretOf(store, 'salt', () => randomBytes(16).toString('hex'));
  return createHash('sha256')
    .update(JSON.stringify([salt, network]))
    .digest('base64url')
    .slice(0, 22);
};
