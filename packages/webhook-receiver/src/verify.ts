/**
 * Standard Webhooks over the bytes as they came, by WebCrypto alone: schemes v1a (ed25519) and v1 (HMAC). What the
 * body says is left to parse.
 */
import { concat, fromBase64, utf8 } from './bytes.ts';
import {
  BodyParsedError,
  InvalidHeaderError,
  InvalidTimestampError,
  MissingHeaderError,
  SignatureError,
  TimestampTooNewError,
  TimestampTooOldError,
} from './errors.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { importKey, isSource, type Key, type Keys, type KeySource, type Scheme, sizes } from './keys.ts';

/** A body as it came, before anything parsed it. A string stands for its UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** What verifying needs to know. */
export interface VerifyOptions {
  keys: Keys;
  /** How far `webhook-timestamp` may be from now, in seconds, either way. 300 unless given. */
  toleranceSec?: number | undefined;
  /** Milliseconds since 1970. `Date.now` unless given. */
  now?: (() => number) | undefined;
}

/** What the signature vouches for, besides the body. */
export interface Verified {
  /** `webhook-id`: the same in every attempt at one event. */
  id: string;
  /** `webhook-timestamp`: when this attempt was signed, in seconds since 1970. */
  timestampSec: number;
  /** The bytes that were signed. */
  bytes: Uint8Array;
}

interface Signature {
  scheme: Scheme;
  bytes: Uint8Array;
}

const maxSignatures = 8;

/** Checks that the body was signed, with its id and timestamp, by one of the keys. Rejects with a `WebhookError`. */
export const verify = async (body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<Verified> => {
  const bytes = bytesOf(body);
  const id = required(headers, 'webhook-id');
  const timestamp = required(headers, 'webhook-timestamp');
  const signatures = readSignatures(required(headers, 'webhook-signature'));
  // A full stop would let one signature stand for several splits into id, timestamp and body.
  if (!/^[!-+\-/-~]{1,256}$/.test(id)) throw new InvalidHeaderError('webhook-id is not an id');
  const timestampSec = freshTimestamp(timestamp, options);
  const content = concat([utf8(`${id}.${timestamp}.`), bytes]);
  if (!(await isSigned(content, signatures, [options.keys].flat()))) throw new SignatureError(mismatch(bytes));
  return { id, timestampSec, bytes };
};

/** The bytes of a body in any of its forms. Throws `BodyParsedError` for anything else. */
export const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return utf8(body);
  // No instanceof: test runners and edge runtimes hand over bytes of another realm.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer);
  throw new BodyParsedError(
    'the body was parsed before it came here, so the bytes that were signed are gone: keep body parsers off this route (Express: no express.json() before it)',
  );
};

const required = (headers: HeaderSource, name: string): string => {
  const value = readHeader(headers, name);
  if (!value) throw new MissingHeaderError(`${name} is missing`);
  return value;
};

const freshTimestamp = (text: string, { toleranceSec = 300, now = Date.now }: VerifyOptions): number => {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidTimestampError('webhook-timestamp is not a whole number of seconds');
  const ageSec = now() / 1_000 - Number(text);
  const limit = `the limit is ${toleranceSec} s; is this machine's clock right?`;
  // Negated, so that a NaN in the options refuses.
  if (!(ageSec <= toleranceSec)) throw new TimestampTooOldError(`signed ${Math.ceil(ageSec)} s ago; ${limit}`);
  if (!(-ageSec <= toleranceSec)) throw new TimestampTooNewError(`signed ${Math.ceil(-ageSec)} s in the future; ${limit}`);
  return Number(text);
};

const readSignatures = (header: string): Signature[] =>
  header.split(' ', maxSignatures).flatMap((entry) => {
    const [, scheme, base64 = ''] = /^(v1a?),(.+)$/.exec(entry) ?? [];
    const bytes = fromBase64(base64);
    return isScheme(scheme) && bytes?.length === sizes[scheme].signature ? [{ scheme, bytes }] : [];
  });

const isScheme = (text: string | undefined): text is Scheme => text === 'v1' || text === 'v1a';

const isSigned = async (content: Uint8Array, signatures: Signature[], keys: ReadonlyArray<Key | KeySource>): Promise<boolean> => {
  // Whoever sends no signature worth checking causes no look-up of keys.
  if (signatures.length === 0) return false;
  for (const key of keys) {
    if (await (isSource(key) ? madeBySource(content, signatures, key) : madeByAny(content, signatures, [key]))) return true;
  }
  return false;
};

const madeBySource = async (content: Uint8Array, signatures: Signature[], source: KeySource): Promise<boolean> => {
  const keys = await source.current({ refresh: false });
  if (await madeByAny(content, signatures, keys)) return true;
  const newer = await source.current({ refresh: true });
  return newer !== keys && madeByAny(content, signatures, newer);
};

const madeByAny = async (content: Uint8Array, signatures: Signature[], keys: readonly Key[]): Promise<boolean> => {
  for (const key of keys) {
    const imported = await importKey(key);
    for (const { scheme, bytes } of signatures) {
      if (scheme !== imported.scheme) continue;
      if (await crypto.subtle.verify(imported.key.algorithm.name, imported.key, bytes, content)) return true;
    }
  }
  return false;
};

/** A body that was parsed and written again equals its own re-serialisation; most that were not, do not. */
const mismatch = (bytes: Uint8Array): string => {
  const text = new TextDecoder().decode(bytes);
  const hint = 'If the body was parsed and written again (express.json(), JSON.stringify), its bytes are not those that were signed';
  return `no signature matches. ${isOwnSerialisation(text) ? hint : 'Wrong keys, or a body that is not as it was sent'}`;
};

const isOwnSerialisation = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
};
