/**
 * Events: the envelopes that this version knows, and those of a newer service. Unknown types and extra fields are never
 * an error.
 */
import { InvalidEnvelopeError } from './errors.ts';
import type { EventMap } from './types.gen.ts';

/** Types that this version knows. */
export type EventType = keyof EventMap;

/** Types that a registration may choose. */
export type ChosenType = Exclude<EventType, 'ping'>;

/** The type that a webhook gets if its registration chooses no events. */
export type DefaultType = 'bot.created';

/** An event of a chosen type, or a ping. `type` discriminates. */
export type KnownEvent<Chosen extends ChosenType = DefaultType> = {
  [Type in Chosen | 'ping']: EventMap[Type] & { known: true };
}[Chosen | 'ping'];

/** An event of a type that was not chosen, or that this version does not know. */
export interface UnknownEvent {
  known: false;
  /** The event's id, the same in every attempt. */
  id: string;
  type: string;
  /** When it happened, in ISO 8601. */
  created_at: string;
  data: unknown;
}

/** An event from a webhook. After `if (event.known)`, a `switch (event.type)` can be exhaustive. */
export type Event<Chosen extends ChosenType = DefaultType> = KnownEvent<Chosen> | UnknownEvent;

/** The types of a registration that chooses no events. */
export const defaultEvents: readonly ChosenType[] = ['bot.created' satisfies DefaultType];

/** Checks an envelope. Its `data` is not checked: the signature vouches for it. Throws `InvalidEnvelopeError`. */
export const readEvent = <Chosen extends ChosenType>(value: unknown, chosen: readonly Chosen[]): Event<Chosen> => {
  const envelope = Object(value) as Record<string, unknown>;
  const { type, data } = envelope;
  for (const field of ['id', 'type', 'created_at'])
    if (typeof envelope[field] !== 'string') throw new InvalidEnvelopeError(field);
  const known = (['ping', ...chosen] as unknown[]).includes(type);
  if (known && Object(data) !== data) throw new InvalidEnvelopeError('data');
  return { ...envelope, known } as Event<Chosen>;
};
