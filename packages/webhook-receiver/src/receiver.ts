/** The receiver of the directory's own events: its envelope, and its keys by its address. */
import type { Event, EventType, KnownEvent, UnknownEvent } from './event.ts';
import { parse } from './parse.ts';
import { type Context, type Handler, makeReceiver, type ReceiveOptions, type Receiver } from './receive.ts';
import { remoteKeys } from './remote-keys.ts';

/** Handlers by event type. The sender hears of success once they are done. */
export type Handlers = {
  [Type in EventType]?: (event: Extract<KnownEvent, { type: Type }>, context: Context) => unknown;
};

/** What a receiver is made of: `keys` or `baseUrl`, and what to do with events. */
export interface ReceiverOptions extends ReceiveOptions<Event> {
  /** The service's address. Unless there are `keys`, its public keys are fetched from there. */
  baseUrl?: string | URL | undefined;
  /** What to do with each type of event. Those without a handler are answered 200 and dropped. */
  on?: Handlers | undefined;
  /** For events of types that this version does not know. Without it they are answered 200 and dropped. */
  onUnknown?: ((event: UnknownEvent, context: Context) => unknown) | undefined;
}

/** Makes a receiver. Throws `ConfigurationError` when `keys` or `baseUrl` can't be used. */
export const createReceiver = (options: ReceiverOptions): Receiver => {
  const { baseUrl = '', keys = remoteKeys(baseUrl), on = {}, onUnknown } = options;
  return makeReceiver(
    { ...options, keys },
    {
      parse,
      // The compiler cannot see that the handler under an event's type takes that event.
      handlerOf: (event) => (event.known ? on[event.type] : onUnknown) as Handler<Event> | undefined,
    },
  );
};
