/** The receiver of the directory's own events: it reads their envelope and can fetch their keys. */
import { ConfigurationError } from './errors.ts';
import {
  type ChosenType,
  defaultEvents,
  type DefaultType,
  type Event,
  type EventType,
  type KnownEvent,
  type UnknownEvent,
} from './event.ts';
import { eventTypes } from './event-types.gen.ts';
import { type EventOptions, parse } from './parse.ts';
import { type Context, type Handler, makeReceiver, type ReceiveOptions, type Receiver } from './receive.ts';
import { remoteKeys } from './remote-keys.ts';
import type { VerifyOptions } from './verify.ts';

/** Handlers by event type. The sender gets a success once the handler is done. */
export type Handlers = {
  [Type in EventType]?: (event: Extract<KnownEvent<ChosenType>, { type: Type }>, context: Context) => unknown;
};

/** Options of a receiver: `keys` or `baseUrl`, and what to do with events. */
export interface ReceiverOptions<Chosen extends ChosenType = DefaultType>
  extends ReceiveOptions<Event<Chosen>>, EventOptions<Chosen> {
  /** The service's base URL. Its public keys are fetched from there unless `keys` is given. */
  baseUrl?: string | URL | undefined;
  /**
   * Handlers by event type, which is then known, whether or not `events` has it. Events without a handler are answered
   * with 200 and ignored.
   */
  on?: Handlers | undefined;
  /** Handles events of other types. Without it, they are answered with 200 and ignored. */
  onUnknown?: ((event: UnknownEvent, context: Context) => unknown) | undefined;
}

/**
 * Makes a receiver. Throws `ConfigurationError` when `keys` or `baseUrl` cannot be used, and for a name in `on` or
 * `events` that is no event type.
 */
export const createReceiver = <Chosen extends ChosenType = DefaultType>(options: ReceiverOptions<Chosen>): Receiver => {
  const { baseUrl, on = {}, onUnknown, events = defaultEvents } = options;
  const known = [...events, ...Object.keys(on)] as Chosen[];
  for (const name of known)
    if (!eventTypes.includes(name))
      throw new ConfigurationError(`${name} is no event type: use ${eventTypes.join(', ')}, or onUnknown`);
  const keys = options.keys || (baseUrl && remoteKeys(baseUrl));
  return makeReceiver<Event<Chosen>, ReceiveOptions<Event<Chosen>> & VerifyOptions & EventOptions<Chosen>>(
    { ...options, keys, events: known },
    {
      parse,
      // The compiler cannot see that the handler for an event's type takes that event.
      handlerOf: (event) =>
        (event.known ? (on as Record<string, unknown>)[event.type] : onUnknown) as Handler<Event<Chosen>> | undefined,
    },
  );
};
