/**
 * Turns a request into an `Answer`, for every receiver. It returns 2xx only for work that is finished or durably
 * queued. Each event is handled once, although it may be delivered several times. Answers contain codes, never
 * messages.
 */
import { BodyTooLargeError, ConfigurationError, WebhookError } from './errors.ts';
import { createHandleOnce, type OnceOptions, type Outcome } from './handle-once.ts';
import { type HeaderSource, headerValues } from './headers.ts';
import { checkedKeys, type Keys } from './keys.ts';
import { bytesOf } from './verify.ts';

/** The request that brought an event. */
export interface Delivery {
  /** The id of this attempt, from `X-Service-Delivery`. The service logs it too. */
  deliveryId?: string | undefined;
  /**
   * Returns a request header by name, in any case. Of these, the signature covers only `webhook-id` and
   * `webhook-timestamp`.
   */
  header: (name: string) => string | undefined;
}

/** What a handler gets with the event. */
export interface Context extends Delivery {
  /** Aborts when the time is up; the sender has then been asked to retry. */
  signal: AbortSignal;
}

/** Options of every receiver. */
export interface ReceiveOptions<Event> extends OnceOptions {
  /** Keys, or sources of keys; several during a key rotation. */
  keys?: Keys | undefined;
  /**
   * Queues an event instead of calling its handler. It must not resolve before the event is stored; the response is
   * 202.
   */
  enqueue?: ((event: Event, context: Context) => unknown) | undefined;
  /**
   * Called with every refusal and failure, and the request it is about. The response does not wait for it, and ignores
   * what it throws or rejects with.
   * @default `console.error`: the error if this receiver is at fault, otherwise a line that says why
   */
  onError?: ((error: WebhookError, delivery: Delivery) => unknown) | undefined;
  /**
   * Maximum length of a body, in bytes.
   * @default 262_144
   */
  maxBytes?: number | undefined;
  /**
   * How far `webhook-timestamp` may be from the current time, in either direction, in seconds.
   * @default 300
   */
  toleranceSec?: number | undefined;
}

/** A request, as an adapter passes it on. */
export interface IncomingWebhook {
  /** GET and HEAD are health checks, and get a 200; what else is no POST gets a 405. */
  method?: string | undefined;
  headers: HeaderSource;
  /**
   * Returns the body as it was received; for a body longer than `maxBytes`, more bytes than that; `undefined` if it was
   * already read. Missing if what the framework passed is no request; `advice` then says what to pass.
   */
  read?: ((maxBytes: number) => Promise<unknown>) | undefined;
  /** How to keep the body unread in this framework, for the error message. */
  advice?: string | undefined;
}

/** The receiver's answer to a request. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** `{"code":"…"}` */
  body: string;
}

/** Receives webhooks. An adapter connects it to a framework. */
export interface Receiver {
  /** Handles a request. It never rejects. */
  receive: (incoming: IncomingWebhook) => Promise<Answer>;
}

/** Handles an event. */
export type Handler<Event> = (event: Event, context: Context) => unknown;

/** What differs between receivers. */
interface Kind<Event, Options> {
  parse: (body: Uint8Array, headers: HeaderSource, options: Options) => Promise<Event>;
  /** The handler of an event; undefined if the event is to be ignored. */
  handlerOf: (event: Event) => Handler<Event> | undefined;
}

/** Makes a receiver of one kind. Throws `ConfigurationError` when the keys cannot be used. */
export const makeReceiver = <
  Event extends { id: string; type?: string },
  Options extends ReceiveOptions<Event> & { keys: Keys },
>(
  options: Options,
  { parse, handlerOf }: Kind<Event, Options>,
): Receiver => {
  const { keys, enqueue, onError = log, maxBytes = 262_144 } = options;
  checkedKeys(keys);
  const handleOnce = createHandleOnce(options);

  const outcomeOf = async (
    { method = 'POST', headers, read, advice }: IncomingWebhook,
    delivery: Delivery,
    report: (error: unknown) => WebhookError,
  ): Promise<Outcome> => {
    if (method === 'GET' || method === 'HEAD') return { status: 200, code: 'ready' };
    if (method !== 'POST') return { status: 405, code: 'not_post', headers: { allow: 'POST' } };
    if (!read) throw new ConfigurationError(advice);
    delivery.deliveryId = delivery.header('x-service-delivery');
    if (!/^application\/(.+\+)?json\b/i.test(String(delivery.header('content-type'))))
      throw new WebhookError('not_json', 415);
    const found = await read(maxBytes).catch((cause: unknown) => {
      throw new WebhookError('unreadable', 400, cause);
    });
    const body = bytesOf(found, advice);
    if (!(body.length <= maxBytes)) throw new BodyTooLargeError();
    const event = await parse(body, headers, options);
    const handler = enqueue ?? handlerOf(event);
    if (!handler) return { status: 200, code: 'ignored' };
    const work = async (signal: AbortSignal): Promise<Outcome> => {
      await handler(event, { ...delivery, signal });
      return enqueue ? { status: 202, code: 'queued' } : { status: 200, code: 'handled' };
    };
    return handleOnce(event, work, report);
  };

  return {
    async receive(incoming) {
      const header = (name: string) => headerValues(incoming.headers, name.toLowerCase()).join(', ') || undefined;
      const delivery: Delivery = { header };
      const report = (error: unknown): WebhookError => {
        const known = error instanceof WebhookError ? error : new WebhookError('internal_error', 500, error);
        // Neither the response nor the process must depend on a logger, whether it throws or rejects.
        (async () => await onError(known, delivery))().catch(() => undefined);
        return known;
      };
      const { status, code, headers } = await outcomeOf(incoming, delivery, report).catch<Outcome>(report);
      return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ code }) };
    },
  };
};

const log = (error: WebhookError): void =>
  console.error(error.status > 499 ? error : `${String(error)} (${error.status} ${error.code})`);
