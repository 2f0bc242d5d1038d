/** Keys as Standard Webhooks writes them, and the one operation done with them. Fetching them is left to remote-keys. */
import { fromBase64 } from './bytes.ts';
import { InvalidKeyError } from './errors.ts';

/** A key of WebCrypto, ed25519 or HMAC with SHA-256, imported for `verify`. */
export type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** `whpk_` and an ed25519 public key, `whsec_` and a shared secret (both base64), or an imported key. */
export type Key = string | ImportedKey;

/** Keys that change while the receiver runs. */
export interface KeySource {
  /**
   * The keys in force. With `refresh` none of them had made a signature: look for newer ones, and answer the very same
   * array when there are none. Rejects with `KeysUnavailableError` when there are none at all.
   */
  current(options: { refresh: boolean }): Promise<readonly Key[]>;
}

/** One key, or several while they are rotated. */
export type Keys = Key | KeySource | ReadonlyArray<Key | KeySource>;

/** A signature's scheme: `v1` is HMAC with SHA-256, `v1a` ed25519. */
export type Scheme = 'v1' | 'v1a';

/** Key and signature sizes of each scheme, in bytes. */
export const sizes = { v1: { least: 24, most: 64, signature: 32 }, v1a: { least: 32, most: 32, signature: 64 } } as const;

/** Whether these are keys that change. */
export const isSource = (key: Key | KeySource): key is KeySource => typeof key === 'object' && 'current' in key;

/** Reads a key's text. Throws `InvalidKeyError`, which does not repeat it. */
export const readKey = (text: string): { scheme: Scheme; bytes: Uint8Array } => {
  const [, prefix, base64 = ''] = /^(whpk|whsec)_(.*)$/s.exec(text) ?? [];
  if (prefix === undefined) throw new InvalidKeyError('a key starts with whpk_ (public key) or whsec_ (shared secret)');
  if (/\s/.test(text)) throw new InvalidKeyError(`the ${prefix}_ key holds white space: was a line break copied with it?`);
  const scheme = prefix === 'whpk' ? 'v1a' : 'v1';
  const bytes = fromBase64(base64);
  const { least, most } = sizes[scheme];
  if (bytes === undefined || bytes.length < least || bytes.length > most) {
    throw new InvalidKeyError(`the ${prefix}_ key is not the base64 of ${least === most ? '' : `${least} to `}${most} bytes`);
  }
  return { scheme, bytes };
};

/** A key ready for use, and the scheme that it is for. */
export const importKey = async (key: Key): Promise<{ scheme: Scheme; key: ImportedKey }> => {
  if (typeof key !== 'string') return { scheme: key.algorithm.name === 'HMAC' ? 'v1' : 'v1a', key };
  const { scheme, bytes } = readKey(key);
  const algorithm = scheme === 'v1' ? { name: 'HMAC', hash: 'SHA-256' } : { name: 'Ed25519' };
  return { scheme, key: await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']) };
};
