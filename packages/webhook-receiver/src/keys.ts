/** Keys as Standard Webhooks writes them. Fetching them is left to remote-keys. */
import { fromBase64 } from './bytes.ts';
import { ConfigurationError } from './errors.ts';

/** Keys that change while the receiver runs. */
export interface KeySource {
  /**
   * The keys in force, as text. With `refresh` none of them had made a signature: look for newer ones, and answer the
   * very same array when there are no others. Rejects with `KeysUnavailableError` when there are no keys at all.
   */
  current: (refresh: boolean) => Promise<readonly string[]>;
}

/**
 * `whpk_` and an ed25519 public key, or `whsec_` and a shared secret (both base64); the bytes of a shared secret; or
 * keys that change.
 */
export type Key = string | Uint8Array | KeySource;

/** One key, or several while they are rotated. */
export type Keys = Key | readonly Key[];

/** A signature's scheme: `v1` is HMAC with SHA-256, `v1a` ed25519. */
export type Scheme = 'v1' | 'v1a';

/** A key that is at hand. */
export type FixedKey = Exclude<Key, KeySource>;

/** Whether the key has to be asked for. */
export const isSource = (key: Key): key is KeySource => typeof (Object(key) as KeySource).current === 'function';

/** The keys as a list. Throws `ConfigurationError` when there are none, or one of them is not a key. */
export const listKeys = (keys: Keys): readonly Key[] => {
  const list = [keys].flat() as readonly Key[];
  if (!list.length) throw new ConfigurationError('keys: the list is empty');
  for (const key of list) if (!isSource(key)) readKey(key);
  return list;
};

/** Reads a key. Throws `ConfigurationError`, which does not repeat it. */
export const readKey = (key: FixedKey): { scheme: Scheme; bytes: Uint8Array } => {
  if (ArrayBuffer.isView(key) && key.length) return { scheme: 'v1', bytes: key };
  const [, prefix, base64 = ''] = /^(wh(?:[ps]k|sec)_)(.*)$/s.exec(String(key)) ?? [];
  const scheme = prefix === 'whpk_' ? 'v1a' : 'v1';
  const bytes = fromBase64(base64);
  const length = bytes?.length ?? 0;
  if (bytes && prefix !== 'whsk_' && (scheme === 'v1a' ? length === 32 : length > 23 && length < 65))
    return { scheme, bytes };
  throw new ConfigurationError(`keys: ${faultOf(String(key), prefix)}`);
};

const faultOf = (text: string, prefix?: string): string => {
  if (/\s/.test(text)) return 'white space in a key';
  if (prefix === 'whsk_') return 'whsk_ is a private key, and stays with the sender; give its whpk_ half';
  if (!prefix) return 'a key must begin with whpk_ or whsec_';
  return `${prefix} must be followed by ${prefix === 'whpk_' ? 32 : '24 to 64'} bytes in base64`;
};
