/** Keys in the format of Standard Webhooks. remote-keys fetches them. */
import { fromBase64 } from './bytes.ts';
import { ConfigurationError } from './errors.ts';

/** Keys that can change while the receiver runs. */
export interface KeySource {
  /**
   * Returns the keys in force. `refresh` is true when none of those at hand made the signature: look for newer ones.
   * Rejects with `KeysUnavailableError` when there are no keys at all.
   */
  current: (refresh: boolean) => Promise<readonly string[]>;
}

/**
 * `whpk_` and an ed25519 public key, or `whsec_` and a shared secret (both in base64); the bytes of a shared secret; or
 * a source of keys.
 */
export type Key = string | Uint8Array | KeySource;

/** One key, or several during a key rotation. A missing one, such as an unset variable, does not count. */
export type Keys = Key | undefined | readonly (Key | undefined)[];

/** A signature's scheme: `v1` is HMAC-SHA256, `v1a` is ed25519. */
export type Scheme = 'v1' | 'v1a';

/** A key given as a value. */
export type FixedKey = Exclude<Key, KeySource>;

/** Returns whether the key is a source of keys. */
export const isSource = (key: Key): key is KeySource => typeof (Object(key) as KeySource).current === 'function';

/** What people paste around a key, or between several: white space, quotes, `|`, and the scheme. */
const pasted = /[\s'"|]+|v1a?,/;

/** Lists the keys that are not missing, without what was pasted around them. */
export const listKeys = (keys: Keys): readonly Key[] =>
  ([keys].flat() as readonly Key[])
    .flatMap<Key>((key) => (typeof key === 'string' ? key.split(pasted) : [key]))
    .filter(Boolean);

/** Lists the keys as `listKeys` does. Throws `ConfigurationError` when one is not a key. */
export const checkedKeys = (keys: Keys): readonly Key[] => {
  const list = listKeys(keys);
  for (const key of list) if (!isSource(key)) readKey(key);
  return list;
};

/** What is wrong with a key that begins like one. */
const faults: Record<string, string> = {
  whsk_: 'whsk_ is private to the sender; use the whpk_ key',
  whpk_: 'whpk_ must be followed by 32 bytes in base64',
  whsec_: 'whsec_ must be followed by 24 to 64 bytes in base64',
};

/** Decodes a key. Throws `ConfigurationError`, whose message does not contain the key. */
export const readKey = (key: FixedKey): { scheme: Scheme; bytes: Uint8Array } => {
  if (ArrayBuffer.isView(key) && key.length) return { scheme: 'v1', bytes: key };
  const [, prefix = '', base64 = ''] = /^([a-z]+_)(.*)$/s.exec(String(key)) ?? [];
  const bytes = fromBase64(base64) ?? new Uint8Array();
  if (prefix === 'whpk_' && bytes.length === 32) return { scheme: 'v1a', bytes };
  if (prefix === 'whsec_' && bytes.length > 23 && bytes.length < 65) return { scheme: 'v1', bytes };
  throw new ConfigurationError(`keys: ${faults[prefix] ?? 'a key must begin with whpk_ or whsec_'}`);
};
