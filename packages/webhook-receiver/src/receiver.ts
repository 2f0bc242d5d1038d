/** The receiver of the directory's own events: it reads their envelope and can fetch their keys. */
import type { Event, EventType, KnownEvent, UnknownEvent } from './event.ts';
import { parse } from './parse.ts';
import { type Context, type Handler, makeReceiver, type ReceiveOptions, type Receiver } from './receive.ts';
import { remoteKeys } from './remote-keys.ts';

/** Handlers by event type. The sender gets a success once the handler is done. */
export type Handlers = {
  [Type in EventType]?: (event: Extract<KnownEvent, { type: Type }>, context: Context) => unknown;
};

/** Options of a receiver: `keys` or `baseUrl`, and what to do with events. */
export interface ReceiverOptions extends ReceiveOptions<Event> {
  /** The service's base URL. Its public keys are fetched from there unless `keys` is given. */
  baseUrl?: string | URL | undefined;
  /** Handlers by event type. Events without a handler are answered with 200 and ignored. */
  on?: Handlers | undefined;
  /** Handles events of types that this version does not know. Without it, they are answered with 200 and ignored. */
  onUnknown?: ((event: UnknownEvent, context: Context) => unknown) | undefined;
}

/** Makes a receiver. Throws `ConfigurationError` when `keys` or `baseUrl` cannot be used. */
export const createReceiver = (options: ReceiverOptions): Receiver => {
  const { baseUrl, on = {}, onUnknown } = options;
  const keys = options.keys || (baseUrl && remoteKeys(baseUrl));
  return makeReceiver(
    { ...options, keys },
    {
      parse,
      // The compiler cannot see that the handler for an event's type takes that event.
      handlerOf: (event) => (event.known ? on[event.type] : onUnknown) as Handler<Event> | undefined,
    },
  );
};
