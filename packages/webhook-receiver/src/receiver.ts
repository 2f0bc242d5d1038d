/** The receiver of the directory's own events: it reads their envelope and can fetch their keys. */
import type { ChosenType, DefaultType, Event, KnownEvent, UnknownEvent } from './event.ts';
import { type EventOptions, parse } from './parse.ts';
import { type Context, type Handler, makeReceiver, type ReceiveOptions, type Receiver } from './receive.ts';
import { remoteKeys } from './remote-keys.ts';

/** Handlers by event type. The sender gets a success once the handler is done. */
export type Handlers<Chosen extends ChosenType = DefaultType> = {
  [Type in Chosen | 'ping']?: (event: Extract<KnownEvent<Chosen>, { type: Type }>, context: Context) => unknown;
};

/** Options of a receiver: `keys` or `baseUrl`, and what to do with events. */
export interface ReceiverOptions<Chosen extends ChosenType = DefaultType>
  extends ReceiveOptions<Event<Chosen>>, EventOptions<Chosen> {
  /** The service's base URL. Its public keys are fetched from there unless `keys` is given. */
  baseUrl?: string | URL | undefined;
  /** Handlers by event type. Events without a handler are answered with 200 and ignored. */
  on?: Handlers<NoInfer<Chosen>> | undefined;
  /** Handles events of other types. Without it, they are answered with 200 and ignored. */
  onUnknown?: ((event: UnknownEvent, context: Context) => unknown) | undefined;
}

/** Makes a receiver. Throws `ConfigurationError` when `keys` or `baseUrl` cannot be used. */
export const createReceiver = <Chosen extends ChosenType = DefaultType>(options: ReceiverOptions<Chosen>): Receiver => {
  const { baseUrl, on = {}, onUnknown } = options;
  const keys = options.keys || (baseUrl && remoteKeys(baseUrl));
  return makeReceiver<Event<Chosen>>(
    { ...options, keys },
    {
      parse: (body, headers) => parse(body, headers, { ...options, keys }),
      // The compiler cannot see that the handler for an event's type takes that event.
      handlerOf: (event) =>
        (event.known ? (on as Record<string, unknown>)[event.type] : onUnknown) as Handler<Event<Chosen>> | undefined,
    },
  );
};
