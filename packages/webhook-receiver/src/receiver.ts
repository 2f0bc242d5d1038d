/**
 * The receiver: a request in, an answer out. It answers 2xx only for work that is finished, or durably queued; each
 * event is handled once, though it may be delivered often. Answers carry codes and never messages.
 */
import { BodyTooLargeError, WebhookError } from './errors.ts';
import type { Event, EventType, KnownEvent, UnknownEvent } from './event.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { type Keys, readKey } from './keys.ts';
import { parse } from './parse.ts';
import { remoteKeys } from './remote-keys.ts';
import { createSettler, type Outcome, type SettleOptions } from './settle.ts';
import { bytesOf } from './verify.ts';

/** What a handler gets besides the event. */
export interface Context {
  /** Aborted when the time is up: the sender has been told to come again. */
  signal: AbortSignal;
}

/** Handlers by event type. The sender hears of success once they are done. */
export type Handlers = {
  [Type in EventType]?: (event: Extract<KnownEvent, { type: Type }>, context: Context) => unknown;
};

/** What a receiver is made of: `keys` or `baseUrl`, and what to do with events. */
export interface ReceiverOptions extends SettleOptions {
  /** Keys as values, or sources of keys; several while they are rotated. */
  keys?: Keys | undefined;
  /** The service's address: without `keys`, its key route is asked. */
  baseUrl?: string | undefined;
  on?: Handlers | undefined;
  /** For events of types that this version does not know. Without it they are answered 200 and dropped. */
  onUnknown?: ((event: UnknownEvent, context: Context) => unknown) | undefined;
  /** Takes events instead of the handlers, and settles once they are safe; the answer is 202. */
  enqueue?: ((event: Event, context: Context) => unknown) | undefined;
  /** Hears of every refusal and failure. Unless given, those that are not the sender's go to `console.error`. */
  onError?: ((error: WebhookError) => unknown) | undefined;
  /** Longest body. 262,144 unless given. */
  maxBytes?: number | undefined;
  /** How far `webhook-timestamp` may be from now, in seconds, either way. 300 unless given. */
  toleranceSec?: number | undefined;
}

/** A request, as an adapter hands it over. */
export interface IncomingWebhook {
  headers: HeaderSource;
  /** The body as it came; of one that is longer than `maxBytes`, more than those. */
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
  receive: (incoming: IncomingWebhook) => Promise<Answer>;
}

/** Makes a receiver. Throws when its keys are none. */
export const createReceiver = (options: ReceiverOptions): Receiver => {
  const {
    baseUrl = '',
    keys = remoteKeys(baseUrl),
    on = {},
    onUnknown,
    enqueue,
    onError = logOwnFault,
    maxBytes = 262_144,
  } = options;
  for (const key of [keys].flat()) if (typeof key !== 'object') readKey(key);
  const report = (error: unknown): WebhookError => {
    const known = error instanceof WebhookError ? error : new WebhookError('internal_error', 500, error);
    try {
      onError(known);
    } catch {
      // The sender's answer does not hang on a logger.
    }
    return known;
  };

  const settle = createSettler(options, report);
  const outcomeOf = async ({ headers, read }: IncomingWebhook): Promise<Outcome> => {
    if (!/^application\/(.+\+)?json\b/i.test(readHeader(headers, 'content-type') ?? ''))
      throw new WebhookError('not_json', 415);
    const body = bytesOf(
      await read(maxBytes).catch((cause: unknown) => {
        throw new WebhookError('unreadable', 400, cause);
      }),
    );
    if (body.length > maxBytes) throw new BodyTooLargeError();
    const event = await parse(body, headers, { ...options, keys });
    // The compiler cannot see that the handler under an event's type takes that event.
    const handler = (enqueue ?? (event.known ? on[event.type] : onUnknown)) as
      ((event: Event, context: Context) => unknown) | undefined;
    if (!handler) return { status: 200, code: 'ignored' };
    const success = enqueue ? { status: 202, code: 'queued' } : { status: 200, code: 'handled' };
    return settle(event.id, (signal) => handler(event, { signal }), success);
  };

  return {
    async receive(incoming) {
      const { status, code } = await outcomeOf(incoming).catch<Outcome>(report);
      const headers = { 'content-type': 'application/json', ...(status === 409 && { 'retry-after': '10' }) };
      return { status, headers, body: JSON.stringify({ code }) };
    },
  };
};

const logOwnFault = (error: WebhookError): unknown => error.status > 499 && console.error(error);
