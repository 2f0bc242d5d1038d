/**
 * Standard Webhooks signatures over `<id>.<timestamp>.<body>`: scheme `v1a` (ed25519) with the service's own key, and
 * scheme `v1` (HMAC) with the secret of a webhook's owner. Keys are held as `KeyObject`s, which no log can print.
 */
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  sign,
  type KeyObject,
} from 'node:crypto';
import { limits } from '@bot-directory/contract';
import { accepted, refused, type Parsed } from '../base/parsed.ts';

/** A signing key, and the parts of it that are published. */
export type SigningKey = {
  /** The first 16 hex digits of the public key's SHA-256. */
  readonly id: string;
  /** `whpk_` and the 32 raw bytes in base64. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
};

const pkcs8Header = Buffer.from('302e020100300506032b657004220420', 'hex');
const seedBytes = 32;

/** Parses `whsk_<base64>`: the 32-byte seed, or the seed with the public key, as some tools write it. */
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

/** What is signed. */
export type Signable = { readonly id: string; readonly timestampSec: number; readonly body: Uint8Array };

/** The value of `webhook-signature` with the service's keys: one signature per key, newest first. */
export const signatureHeader = (keys: readonly SigningKey[], signable: Signable): string => {
  const content = signedContent(signable);
  return keys.map(({ privateKey }) => `v1a,${sign(null, content, privateKey).toString('base64')}`).join(' ');
};

const signedContent = ({ id, timestampSec, body }: Signable): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestampSec}.`), body]);

const secretPrefix = 'whsec_';

/** Parses `whsec_<base64>`, the secret of a webhook's owner. */
export const parseWebhookSecret = (text: string): Parsed<KeyObject> => {
  const bytes = Buffer.from(text.slice(secretPrefix.length), 'base64');
  const { secretMinBytes, secretMaxBytes } = limits;
  // Only canonical base64: decoders differ in how they read anything else.
  if (
    bytes.length < secretMinBytes ||
    bytes.length > secretMaxBytes ||
    secretPrefix + bytes.toString('base64') !== text
  )
    return refused(`must be whsec_ and ${secretMinBytes} to ${secretMaxBytes} bytes in base64, padded`);
  return accepted(createSecretKey(bytes));
};

/** The text form of a secret. Only the store has it. */
export const webhookSecretText = (key: KeyObject): string => secretPrefix + key.export().toString('base64');

/** A signature with the secret of a webhook's owner. */
export const secretSignature = (secret: KeyObject, signable: Signable): string =>
  `v1,${createHmac('sha256', secret).update(signedContent(signable)).digest('base64')}`;
