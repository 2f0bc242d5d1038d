/** The keys that sign deliveries: the configured ones, else one that is made on first use and kept in the store. */
import { randomBytes } from 'node:crypto';
import { parseSigningKey, signingKeyText, type SigningKey } from '../domain/signature.ts';
import { keys } from './keys.ts';
import type { Store } from './redis.ts';

/** The keys in force, newest first. */
export type SigningKeys = () => Promise<readonly SigningKey[]>;

/** Keys for this process. All processes of one store come to the same. */
export const createSigningKeys = (store: Store, configured: readonly SigningKey[]): SigningKeys => {
  let known = configured;
  return async () => {
    if (known.length === 0) known = [await madeOnce(store)];
    return known;
  };
};

const madeOnce = async (store: Store): Promise<SigningKey> => {
  await store.call((redis) => redis.setnx(keys.signingKey, signingKeyText(randomBytes(32))));
  const key = parseSigningKey((await store.call((redis) => redis.get(keys.signingKey))) ?? '');
  if (!key.ok) throw new Error('the signing key in the store can not be read');
  return key.value;
};
