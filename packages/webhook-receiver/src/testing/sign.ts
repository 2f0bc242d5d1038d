/** The sender's side of Standard Webhooks: throw-away keys, and signatures made with them. */
import { concat, fromBase64, toBase64, utf8 } from '../bytes.ts';
import { ConfigurationError } from '../errors.ts';
import { listKeys, readKey } from '../keys.ts';

/** An ed25519 key pair in the format of Standard Webhooks. */
export interface KeyPair {
  /** `whpk_`, for the receiver. */
  publicKey: string;
  /** `whsk_`, for the sender. */
  privateKey: string;
}

type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** What is signed. */
export interface Signable {
  /** The value of `webhook-id`. */
  id: string;
  /** The value of `webhook-timestamp`: seconds since 1970. */
  timestampSec: number;
  body: string | Uint8Array;
}

const pkcs8Header = Uint8Array.from([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]);

/** Makes a key pair. */
export const generateKeyPair = async (): Promise<KeyPair> => {
  const pair = await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError('this runtime cannot make ed25519 keys');
  const [raw, pkcs8] = await Promise.all([
    crypto.subtle.exportKey('raw', pair.publicKey),
    crypto.subtle.exportKey('pkcs8', pair.privateKey),
  ]);
  const seed = new Uint8Array(pkcs8).subarray(pkcs8Header.length, pkcs8Header.length + 32);
  return { publicKey: `whpk_${toBase64(new Uint8Array(raw))}`, privateKey: `whsk_${toBase64(seed)}` };
};

/** Makes a shared secret, `whsec_`. */
export const generateSecret = (): string => `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`;

/** Makes the value of `webhook-signature`: one signature per key, `whsk_` or `whsec_`. */
export const sign = async ({ id, timestampSec, body }: Signable, keys: string | readonly string[]): Promise<string> => {
  const content = concat([utf8(`${id}.${timestampSec}.`), typeof body === 'string' ? utf8(body) : body]);
  const list = listKeys(keys).map(String);
  if (!list.length) throw new ConfigurationError('a key to sign with is empty or not set');
  const signatures = list.map(async (text) => {
    const [scheme, key] = text.startsWith('whsk_')
      ? (['v1a', await privateKey(text)] as const)
      : (['v1', await secret(text)] as const);
    return `${scheme},${toBase64(new Uint8Array(await crypto.subtle.sign(key.algorithm.name, key, content)))}`;
  });
  return (await Promise.all(signatures)).join(' ');
};

/** Imports a private key: the 32-byte seed, or the seed with the public key, as some tools write it. */
const privateKey = (text: string): Promise<ImportedKey> => {
  const bytes = fromBase64(text.slice('whsk_'.length));
  if (bytes?.length !== 32 && bytes?.length !== 64)
    throw new ConfigurationError('a whsk_ key is the base64 of 32 or 64 bytes');
  return crypto.subtle.importKey('pkcs8', concat([pkcs8Header, bytes.subarray(0, 32)]), { name: 'Ed25519' }, false, [
    'sign',
  ]);
};

const secret = (text: string): Promise<ImportedKey> => {
  const { scheme, bytes } = readKey(text);
  if (scheme !== 'v1') throw new ConfigurationError('a public key cannot sign: use the whsk_ key');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
};
