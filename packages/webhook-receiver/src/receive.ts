/**
 * What every receiver does: a request in, an answer out. It answers 2xx only for work that is finished, or durably
 * queued; each event is handled once, though it may be delivered often. Answers carry codes and never messages.
 */
import { BodyTooLargeError, WebhookError } from './errors.ts';
import { createHandleOnce, type OnceOptions, type Outcome } from './handle-once.ts';
import { type HeaderSource, headerValues, readHeader } from './headers.ts';
import { type Keys, listKeys } from './keys.ts';
import { bytesOf, type VerifyOptions } from './verify.ts';

/** The request that brought an event. */
export interface Delivery {
  /** Names this attempt: `X-Service-Delivery`. It is in the service's log too. */
  deliveryId: string | undefined;
  /** A header of the request, by its name in any case. Of these, the signature covers `webhook-id` and `webhook-timestamp`. */
  header: (name: string) => string | undefined;
}

/** What a handler gets besides the event. */
export interface Context extends Delivery {
  /** Aborted when the time is up: the sender has been told to come again. */
  signal: AbortSignal;
}

/** What any receiver takes. */
export interface ReceiveOptions<Event> extends OnceOptions {
  /** Keys as values, or sources of keys; several while they are rotated. */
  keys?: Keys | undefined;
  /** Takes events instead of the handlers, and settles once they are safe; the answer is 202. */
  enqueue?: ((event: Event, context: Context) => unknown) | undefined;
  /**
   * Hears of every refusal and failure, with the request that it was about.
   * @default Those that are not the sender's fault go to `console.error`.
   */
  onError?: ((error: WebhookError, delivery: Delivery) => unknown) | undefined;
  /**
   * Longest body.
   * @default 262_144
   */
  maxBytes?: number | undefined;
  /**
   * How far `webhook-timestamp` may be from now, in seconds, either way.
   * @default 300
   */
  toleranceSec?: number | undefined;
}

/** A request, as an adapter hands it over. */
export interface IncomingWebhook {
  headers: HeaderSource;
  /** The body as it came; of one that is longer than `maxBytes`, more than those. `undefined`: it was read before. */
  read: (maxBytes: number) => Promise<unknown>;
  /** How to keep others from reading the body before, in the words of the framework at hand. */
  advice?: string | undefined;
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

/** A handler of any event. */
export type Handler<Event> = (event: Event, context: Context) => unknown;

/** What receivers differ in. */
interface Kind<Event> {
  parse: (body: Uint8Array, headers: HeaderSource, options: VerifyOptions) => Promise<Event>;
  /** Who takes an event; nobody, when it is to be dropped. */
  handlerOf: (event: Event) => Handler<Event> | undefined;
}

/** Makes a receiver of one kind. Throws `ConfigurationError` when the keys can't be used. */
export const makeReceiver = <Event extends { id: string }>(
  options: ReceiveOptions<Event> & { keys: Keys },
  { parse, handlerOf }: Kind<Event>,
): Receiver => {
  const { keys, enqueue, onError = logOwnFault, maxBytes = 262_144 } = options;
  listKeys(keys);
  const handleOnce = createHandleOnce(options);

  const outcomeOf = async (
    { headers, read, advice }: IncomingWebhook,
    delivery: Delivery,
    report: (error: unknown) => WebhookError,
  ): Promise<Outcome> => {
    if (!/^application\/(.+\+)?json\b/i.test(readHeader(headers, 'content-type') ?? ''))
      throw new WebhookError('not_json', 415);
    const found = await read(maxBytes).catch((cause: unknown) => {
      throw new WebhookError('unreadable', 400, cause);
    });
    const body = bytesOf(found, advice);
    if (body.length > maxBytes) throw new BodyTooLargeError();
    const event = await parse(body, headers, options);
    const handler = enqueue ?? handlerOf(event);
    if (!handler) return { status: 200, code: 'ignored' };
    const success = enqueue ? { status: 202, code: 'queued' } : { status: 200, code: 'handled' };
    return handleOnce({ id: event.id, work: (signal) => handler(event, { ...delivery, signal }), success, report });
  };

  return {
    async receive(incoming) {
      const header = (name: string) => headerValues(incoming.headers, name.toLowerCase()).join(', ') || undefined;
      const delivery = { deliveryId: header('x-service-delivery'), header };
      const report = (error: unknown): WebhookError => {
        const known = error instanceof WebhookError ? error : new WebhookError('internal_error', 500, error);
        try {
          onError(known, delivery);
        } catch {
          // The sender's answer does not depend on a logger.
        }
        return known;
      };
      const { status, code } = await outcomeOf(incoming, delivery, report).catch<Outcome>(report);
      const headers = { 'content-type': 'application/json', ...(status === 409 && { 'retry-after': '10' }) };
      return { status, headers, body: JSON.stringify({ code }) };
    },
  };
};

const logOwnFault = (error: WebhookError): unknown => error.status > 499 && console.error(error);
