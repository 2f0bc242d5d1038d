/**
 * Verifies Standard Webhooks signatures over the raw body, with WebCrypto: schemes v1a (ed25519) and v1 (HMAC). `parse`
 * reads the body.
 */
import { fromBase64, utf8 } from './bytes.ts';
import {
  BodyParsedError,
  ConfigurationError,
  InvalidHeaderError,
  InvalidTimestampError,
  MissingHeaderError,
  SignatureError,
  TimestampTooNewError,
  TimestampTooOldError,
} from './errors.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { type FixedKey, isSource, type Key, type Keys, checkedKeys, readKey } from './keys.ts';

/** A body as it was received, before anything parsed it. A string stands for its UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Options of verifying. */
export interface VerifyOptions {
  keys: Keys;
  /**
   * How far `webhook-timestamp` may be from the current time, in either direction, in seconds.
   * @default 300
   */
  toleranceSec?: number | undefined;
  /**
   * The current time, in milliseconds since 1970.
   * @default Date.now
   */
  now?: (() => number) | undefined;
}

/** What the signature vouches for. */
export interface Verified {
  /** `webhook-id`, the same in every attempt at one event. */
  id: string;
  /** `webhook-timestamp`: when this attempt was signed, in seconds since 1970. */
  timestampSec: number;
  /** The signed bytes. */
  bytes: Uint8Array;
}

const maxSignatures = 8;

/** Checks that one of the keys signed the body with its id and timestamp. Rejects with a `WebhookError`. */
export const verify = async (body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<Verified> => {
  const bytes = bytesOf(body);
  const id = required(headers, 'id');
  const timestamp = required(headers, 'timestamp');
  const signatures = readSignatures(required(headers, 'signature'));
  // With a full stop in the id, one signature would fit several splits into id, timestamp and body.
  if (!/^[!-+/-~-]{1,256}$/.test(id)) throw new InvalidHeaderError('webhook-id');
  checkTimestamp(timestamp, options);
  const content = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer();
  const keys = checkedKeys(options.keys);
  if (!keys.length) throw new ConfigurationError('keys: empty or not set');
  // A request without a usable signature must not cause a fetch of keys.
  if (!signatures.length || !(await isSigned(content, signatures, keys))) {
    const schemes = [...new Set(signatures.map(({ scheme }) => scheme))].join() || 'no v1 or v1a';
    throw new SignatureError(`no key matches (${schemes}): wrong key, or not the signed bytes`);
  }
  return { id, timestampSec: Number(timestamp), bytes };
};

/** Returns the bytes of a body in any of its forms. Throws `BodyParsedError` with this advice for anything else. */
export const bytesOf = (body: unknown, advice = 'pass it on as it was received'): Uint8Array => {
  if (typeof body === 'string') return utf8(body);
  // Not instanceof: test runners and edge runtimes pass bytes of another realm.
  if ((Object(body) as ArrayBuffer).byteLength >= 0) return new Uint8Array(body as ArrayBuffer);
  throw new BodyParsedError(`the body was already read: ${advice}`);
};

const required = (headers: HeaderSource, part: string): string => {
  const name = `webhook-${part}`;
  const value = readHeader(headers, name);
  if (!value) throw new MissingHeaderError(name);
  return value;
};

const checkTimestamp = (text: string, { toleranceSec = 300, now = Date.now }: VerifyOptions): void => {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidTimestampError(text);
  const ageSec = now() / 1_000 - Number(text);
  // Negated, so that a NaN in the options is refused.
  if (!(Math.abs(ageSec) <= toleranceSec))
    throw new (ageSec < 0 ? TimestampTooNewError : TimestampTooOldError)(`signed ${ageSec} s ago`);
};

interface Signature {
  scheme: string | undefined;
  bytes: Uint8Array;
}

const readSignatures = (header: string): Signature[] =>
  header.split(' ', maxSignatures).flatMap((entry) => {
    const [, scheme, base64 = ''] = /^(v1a?),(.+)$/.exec(entry) ?? [];
    const bytes = fromBase64(base64);
    return bytes?.length ? [{ scheme, bytes }] : [];
  });

const isSigned = async (content: ArrayBuffer, signatures: Signature[], keys: readonly Key[]): Promise<boolean> => {
  const { subtle } = crypto;
  const tried = new Set<FixedKey>();
  // A source looks for newer keys only if none of those at hand made a signature.
  for (const refresh of [false, true])
    for (const given of keys)
      for (const one of isSource(given) ? await given.current(refresh) : [given]) {
        if (tried.has(one)) continue;
        tried.add(one);
        const { scheme, bytes } = readKey(one);
        const algorithm = { name: scheme === 'v1' ? 'HMAC' : 'Ed25519', hash: 'SHA-256' };
        const key = await subtle.importKey('raw', bytes, algorithm, false, ['verify']);
        for (const signature of signatures)
          if (signature.scheme === scheme && (await subtle.verify(algorithm, key, signature.bytes, content)))
            return true;
      }
  return false;
};
