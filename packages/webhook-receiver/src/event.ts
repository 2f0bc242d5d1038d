/**
 * Events: the envelopes that this version knows, and whatever a newer service sends. Unknown types and extra fields
 * are never an error.
 */
import { InvalidEnvelopeError } from './errors.ts';
import { type EventMap, eventTypes } from './types.gen.ts';

/** Types that this version knows. */
export type EventType = keyof EventMap;

/** A known event. `type` discriminates. */
export type KnownEvent = { [Type in EventType]: EventMap[Type] & { known: true } }[EventType];

/** An event of a type that this version does not know. */
export interface UnknownEvent {
  known: false;
  /** Event id. The same in every attempt. */
  id: string;
  type: string;
  /** ISO 8601. */
  created_at: string;
  data: unknown;
}

/** What a webhook brings: `if (event.known)` and then `switch (event.type)` is exhaustive. */
export type Event = KnownEvent | UnknownEvent;

/** Checks an envelope. The service vouches for what is in `data`, by its signature. Throws `InvalidEnvelopeError`. */
export const readEvent = (value: unknown): Event => {
  const envelope = Object(value) as Record<string, unknown>;
  const { type, data } = envelope;
  for (const field of ['id', 'type', 'created_at'])
    if (typeof envelope[field] !== 'string') throw new InvalidEnvelopeError(field);
  const known = eventTypes.includes(type);
  if (known && Object(data) !== data) throw new InvalidEnvelopeError('data');
  return { ...envelope, known } as Event;
};
