/**
 * The receiver: a request in, an answer out. It answers 2xx only for work that is finished, or durably queued; each
 * event is handled once, though it may be delivered often. Answers carry codes and never messages.
 */
import { type Dedupe, memoryDedupe } from './dedupe.ts';
import { BodyTooLargeError, InternalError, MediaTypeError, MethodError, UnreadableBodyError, WebhookError } from './errors.ts';
import type { Event, EventType, KnownEvent, UnknownEvent } from './event.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { type Key, type Keys, type KeySource, readKey } from './keys.ts';
import { parse } from './parse.ts';
import { remoteKeys } from './remote-keys.ts';
import { createSettler, type Outcome } from './settle.ts';
import { bytesOf } from './verify.ts';

/** What a handler gets besides the event. */
export interface Context {
  /** Aborted when the time is up: the sender has been told to come again. */
  signal: AbortSignal;
  /** `X-Service-Delivery`, for logs: one attempt's own id. It is not signed. */
  deliveryId: string | undefined;
}

/** Handlers by event type. The sender hears of success once they are done. */
export type Handlers = {
  [Type in EventType]?: (event: Extract<KnownEvent, { type: Type }>, context: Context) => unknown;
};

/** What a receiver is made of. Either `keys` or `baseUrl` is needed. */
export interface ReceiverOptions {
  /** Keys as values, or sources of keys; several while they are rotated. */
  keys?: Keys | undefined;
  /** The service's address, whose key route is then asked. */
  baseUrl?: string | undefined;
  on?: Handlers | undefined;
  /** For events of types that this version does not know. Without it they are answered 200 and dropped. */
  onUnknown?: ((event: UnknownEvent, context: Context) => unknown) | undefined;
  /** Takes events instead of the handlers, and settles once they are safe; the answer is 202. See `dispatch`. */
  enqueue?: ((event: Event, context: Context) => unknown) | undefined;
  /** Which events are handled. In memory unless given. */
  dedupe?: Dedupe | undefined;
  /** Hears of every refusal and failure. Unless given, those that are not the sender's go to `console.error`. */
  onError?: ((error: WebhookError) => void) | undefined;
  /** Longest body. 262,144 unless given. */
  maxBytes?: number | undefined;
  /** For a handler or `enqueue`, stores included. 9,000 unless given: the service waits 10 s. */
  timeoutMs?: number | undefined;
  /** How long an event stays with an attempt that neither succeeds nor fails. 60,000 unless given. */
  leaseMs?: number | undefined;
  /** How far `webhook-timestamp` may be from now, in seconds, either way. 300 unless given. */
  toleranceSec?: number | undefined;
  /** Milliseconds since 1970. `Date.now` unless given. */
  now?: (() => number) | undefined;
}

/** A request, as an adapter hands it over. */
export interface IncomingWebhook {
  method: string;
  headers: HeaderSource;
  /** The body as it came; null when it is longer than `maxBytes`. */
  read: (maxBytes: number) => Promise<unknown>;
}

/** What is answered. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** `{"code":"…"}` */
  body: string;
}

/** Receives webhooks. An adapter connects it to a framework. */
export interface Receiver {
  /** Never rejects. */
  receive(incoming: IncomingWebhook): Promise<Answer>;
  /** Runs the handler of an event, as a queue's consumer does. Rejects with what the handler throws. */
  dispatch(event: Event, context?: Partial<Context>): Promise<void>;
}

/** Makes a receiver. Throws when its keys are none. */
export const createReceiver = (options: ReceiverOptions): Receiver => {
  const { on = {}, onUnknown, enqueue, onError = logOwnFaults, maxBytes = 262_144, toleranceSec, now } = options;
  const { dedupe = memoryDedupe({ now }), timeoutMs = 9_000, leaseMs = 60_000 } = options;
  const keys = checkedKeys(options);
  const report = (error: unknown): WebhookError => {
    const known = error instanceof WebhookError ? error : new InternalError('a fault of the receiver', { cause: error });
    try {
      onError(known);
    } catch {
      // The sender's answer does not hang on a logger.
    }
    return known;
  };
  const settle = createSettler({ dedupe, timeoutMs, leaseMs, report });
  // The compiler cannot see that the handler under an event's type takes that event.
  const handlerOf = (event: Event) => (event.known ? on[event.type] : onUnknown) as ((event: Event, context: Context) => unknown) | undefined;

  const answer = async ({ method, headers, read }: IncomingWebhook): Promise<Outcome> => {
    if (method !== 'POST') throw new MethodError(`a ${method} is no webhook`);
    checkDeclared(headers, maxBytes);
    const body = await read(maxBytes).catch((cause: unknown) => {
      throw new UnreadableBodyError('the body broke off', { cause });
    });
    // A framework may have read it by limits of its own.
    const bytes = body === null ? null : bytesOf(body);
    if (bytes === null || bytes.length > maxBytes) throw tooLarge(maxBytes);
    const event = await parse(bytes, headers, { keys, toleranceSec, now });
    const work = enqueue ?? handlerOf(event);
    if (work === undefined) return { status: 200, code: 'ignored' };
    const deliveryId = readHeader(headers, 'x-service-delivery');
    const success = enqueue ? { status: 202, code: 'queued' } : { status: 200, code: 'handled' };
    return settle(event.id, (signal) => work(event, { signal, deliveryId }), success);
  };

  return {
    receive: (incoming) => answer(incoming).catch<Outcome>(report).then(toAnswer),
    async dispatch(event, { signal = new AbortController().signal, deliveryId } = {}) {
      await handlerOf(event)?.(event, { signal, deliveryId });
    },
  };
};

const logOwnFaults = (error: WebhookError): void => {
  if (error.status >= 500) console.error(error);
};

const checkedKeys = ({ keys = [], baseUrl, now }: ReceiverOptions): ReadonlyArray<Key | KeySource> => {
  const all = [keys, baseUrl === undefined ? [] : remoteKeys(baseUrl, { now })].flat();
  if (all.length === 0) throw new TypeError('a receiver needs keys or a baseUrl');
  for (const key of all) if (typeof key !== 'object') readKey(key);
  return all;
};

const tooLarge = (maxBytes: number) => new BodyTooLargeError(`the body is longer than ${maxBytes} bytes`);

const checkDeclared = (headers: HeaderSource, maxBytes: number): void => {
  const type = readHeader(headers, 'content-type') ?? 'nothing';
  if (!/^application\/([\w.-]+\+)?json *(;|$)/i.test(type)) throw new MediaTypeError(`the body is said to be ${type}`);
  if (Number(readHeader(headers, 'content-length')) > maxBytes) throw tooLarge(maxBytes);
};

const toAnswer = ({ status, code, retryAfterSec }: Outcome): Answer => ({
  status,
  headers: {
    'content-type': 'application/json',
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(retryAfterSec === undefined ? {} : { 'retry-after': String(retryAfterSec) }),
  },
  body: JSON.stringify({ code }),
});
