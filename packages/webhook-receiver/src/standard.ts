/**
 * Standard Webhooks from any sender: with any envelope, with the secret in any usual format, and with the headers under
 * their own names or those of Svix. `webhook-id`, which is signed, identifies the event.
 */
import { fromBase64 } from './bytes.ts';
import { ConfigurationError } from './errors.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { type Keys, listKeys } from './keys.ts';
import { readJson } from './parse.ts';
import { type Context, type Handler, makeReceiver, type ReceiveOptions, type Receiver } from './receive.ts';
import { type RawBody, verify, type VerifyOptions } from './verify.ts';

/** An event as its sender wrote it. Its content is not checked: the signature vouches for it. */
export interface StandardEvent<Type extends string = string, Data = unknown> {
  /** `webhook-id`, the same in every attempt. */
  id: string;
  /** `type` in the body; empty if the body has none. */
  type: Type;
  /** `timestamp` or `created_at` in the body; otherwise when this attempt was signed. */
  timestamp: string;
  /** `data` in the body; the whole body if it has no such field. */
  data: Data;
  /** The whole body. */
  body: unknown;
}

/** Handlers by event type. `Events` maps each type to its `data`. */
export type StandardHandlers<Events> = {
  [Type in keyof Events & string]?: (event: StandardEvent<Type, Events[Type]>, context: Context) => unknown;
};

/** Options of a receiver for any sender's events. */
export interface StandardReceiverOptions<Events> extends ReceiveOptions<StandardEvent> {
  /**
   * The sender's secret, with or without `whsec_`, or its bytes; or its public key, `whpk_`. Several during a key
   * rotation.
   */
  keys: Keys;
  /** Handlers by event type. */
  on?: StandardHandlers<Events> | undefined;
  /** Handles events of all other types. Without it, they are answered with 200 and ignored. */
  onUnknown?: ((event: StandardEvent, context: Context) => unknown) | undefined;
}

/** Makes a receiver. Throws `ConfigurationError` when the keys cannot be used. */
export const createStandardReceiver = <Events extends object = Record<string, unknown>>(
  options: StandardReceiverOptions<Events>,
): Receiver => {
  const { on = {}, onUnknown } = options;
  return makeReceiver(
    { ...options, keys: anyKeys(options.keys) },
    {
      parse: parseVerified,
      // The types of `on` are the caller's claim about the sender; they cannot be checked here.
      handlerOf: ({ type }) =>
        (Object.hasOwn(on, type) ? (on as Record<string, unknown>)[type] : onUnknown) as
          | Handler<StandardEvent>
          | undefined,
    },
  );
};

/** Verifies a webhook and returns its event. Rejects with a `WebhookError`. */
export const parseStandard = (body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<StandardEvent> =>
  parseVerified(body, headers, { ...options, keys: anyKeys(options.keys) });

const parseVerified = async (body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<StandardEvent> => {
  const { id, timestampSec, bytes } = await verify(body, ownNames(headers), options);
  const json = readJson(bytes);
  const { type, timestamp, created_at, data = json } = Object(json) as Record<string, unknown>;
  const signedAt = new Date(timestampSec * 1_000).toISOString();
  const at = [timestamp, created_at].find((value) => typeof value === 'string') ?? signedAt;
  return { id, type: typeof type === 'string' ? type : '', timestamp: at, data, body: json };
};

/** Reads the three headers under Svix's names for them, unless the sender uses the standard's. */
const ownNames = (headers: HeaderSource): HeaderSource =>
  readHeader(headers, 'webhook-id') === undefined
    ? { get: (name) => readHeader(headers, name.replace(/^webhook-/, 'svix-')) ?? null }
    : headers;

/** Decodes secrets of any length, with or without their prefix. */
const anyKeys = (keys: Keys): Keys =>
  listKeys(keys).map((key) => {
    if (typeof key !== 'string' || /^wh[ps]k_/.test(key)) return key;
    const base64 = key.replace(/^whsec_/, '');
    const bytes = fromBase64(base64);
    if (bytes?.length) return bytes;
    throw new ConfigurationError(
      base64 === key
        ? 'keys: a secret without whsec_ must be base64; pass the bytes of any other secret'
        : 'keys: whsec_ must be followed by padded base64; was all of it copied?',
    );
  });
