/**
 * The keys that sign deliveries and pings: the configured ones, or one that is made on first use and kept in the store.
 */
import { randomBytes } from 'node:crypto';
import { StoreUnreachable } from '../base/failure.ts';
import { sharedWhileRunning } from '../base/limiter.ts';
import { parseSigningKey, signingKeyText, type SigningKey } from '../domain/signature.ts';
import type { Store } from '../redis/redis.ts';
import { secretOf } from './secret.ts';

/** The keys in force, newest first. */
export type SigningKeys = () => Promise<readonly SigningKey[]>;

/** How long a process relies on the key it knows before it reads the store again, in milliseconds. */
const knownForMs = 1_000;

/**
 * The keys for this process. All processes of one store agree on them within a second, even if the store has lost its
 * key: each offers its own, and takes the one that is stored. While the store is away, they sign with the key they
 * know.
 */
export const createSigningKeys = (store: Store, configured: readonly SigningKey[]): SigningKeys => {
  if (configured.length > 0) return () => Promise.resolve(configured);
  let known: Agreed | undefined;
  let agreedMs = -Infinity;
  const ask = sharedWhileRunning(async (): Promise<Agreed> => {
    const startedMs = performance.now();
    known = await agree(store, known?.text);
    agreedMs = startedMs;
    return known;
  });
  return async () => {
    if (known !== undefined && performance.now() - agreedMs < knownForMs) return [known.key];
    const { key } = await ask().catch((error: unknown) => {
      if (known === undefined || !(error instanceof StoreUnreachable)) throw error;
      return known;
    });
    return [key];
  };
};

type Agreed = { readonly text: string; readonly key: SigningKey };

const agree = async (store: Store, known: string | undefined): Promise<Agreed> => {
  const text = await secretOf(store, 'signing-key', () => known ?? signingKeyText(randomBytes(32)));
  const key = parseSigningKey(text);
  if (!key.ok) throw new Error('the signing key in the store cannot be read');
  return { text, key: key.value };
};
