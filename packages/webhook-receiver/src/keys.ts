/** Keys as Standard Webhooks writes them. Fetching them is left to remote-keys. */
import { fromBase64 } from './bytes.ts';
import { InvalidKeyError } from './errors.ts';

/** Keys that change while the receiver runs. */
export interface KeySource {
  /**
   * The keys in force, as text. With `refresh` none of them had made a signature: look for newer ones, and answer the
   * very same array when there are none. Rejects with `KeysUnavailableError` when there are none at all.
   */
  current: (refresh: boolean) => Promise<readonly string[]>;
}

/** `whpk_` and an ed25519 public key, or `whsec_` and a shared secret (both base64); or keys that change. */
export type Key = string | KeySource;

/** One key, or several while they are rotated. */
export type Keys = Key | readonly Key[];

/** A signature's scheme: `v1` is HMAC with SHA-256, `v1a` ed25519. */
export type Scheme = 'v1' | 'v1a';

/** Reads a key's text. Throws `InvalidKeyError`, which does not repeat it. */
export const readKey = (text: string): { scheme: Scheme; bytes: Uint8Array } => {
  const [, prefix, base64 = ''] = /^(whpk|whsec)_(.+)$/.exec(text) ?? [];
  const scheme = prefix === 'whpk' ? 'v1a' : 'v1';
  const bytes = fromBase64(base64);
  const length = bytes?.length ?? 0;
  if (bytes && (scheme === 'v1a' ? length === 32 : length > 23 && length < 65)) return { scheme, bytes };
  throw new InvalidKeyError('neither whpk_ nor whsec_ and base64');
};
