/** Standard Webhooks signatures, scheme `v1a`: ed25519 over `<id>.<timestamp>.<body>`. The key is the service's, not a webhook's. */
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { accepted, refused, type Parsed } from '../base/parsed.ts';

/** A key that signs, and what is published of it. */
export type SigningKey = {
  /** The first 16 hex digits of the public key's SHA-256. */
  readonly id: string;
  /** `whpk_` and the 32 raw bytes in base64. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
};

const pkcs8Header = Buffer.from('302e020100300506032b657004220420', 'hex');
const seedBytes = 32;

/** Reads `whsk_<base64>`: the 32-byte seed, or seed and public key as some tools write it. */
export const parseSigningKey = (text: string): Parsed<SigningKey> => {
  const base64 = /^whsk_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (bytes.length !== seedBytes && bytes.length !== 2 * seedBytes)
    return refused('must be an ed25519 private key shaped whsk_<base64 of 32 or 64 bytes>');
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Header, bytes.subarray(0, seedBytes)]),
    format: 'der',
    type: 'pkcs8',
  });
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  if (bytes.length === 2 * seedBytes && !raw.equals(bytes.subarray(seedBytes)))
    return refused('must end with the public key of its own private key');
  return accepted({
    id: createHash('sha256').update(raw).digest('hex').slice(0, 16),
    publicKey: `whpk_${raw.toString('base64')}`,
    privateKey,
  });
};

/** The text form of a private key from its 32 random bytes. */
export const signingKeyText = (seed: Uint8Array): string => `whsk_${Buffer.from(seed).toString('base64')}`;

/** The value of `webhook-signature`: one signature for each key, newest first. */
export const signatureHeader = (
  keys: readonly SigningKey[],
  { id, timestampSec, body }: { id: string; timestampSec: number; body: Uint8Array },
): string => {
  const content = Buffer.concat([Buffer.from(`${id}.${timestampSec}.`), body]);
  return keys.map(({ privateKey }) => `v1a,${sign(null, content, privateKey).toString('base64')}`).join(' ');
};
