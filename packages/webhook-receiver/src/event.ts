/**
 * Events: the envelopes that this version knows, and those of a newer service. Unknown types and extra fields are never
 * an error.
 */
import { InvalidEnvelopeError } from './errors.ts';
import { eventTypes } from './event-types.gen.ts';
import type { EventMap } from './types.gen.ts';

/** Types that this version knows. */
export type EventType = keyof EventMap;

/** An event of a known type. `type` discriminates. */
export type KnownEvent = { [Type in EventType]: EventMap[Type] & { known: true } }[EventType];

/** An event of a type that this version does not know. */
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
export type Event = KnownEvent | UnknownEvent;

/** Checks an envelope. Its `data` is not checked: the signature vouches for it. Throws `InvalidEnvelopeError`. */
export const readEvent = (value: unknown): Event => {
  const envelope = Object(value) as Record<string, unknown>;
  const { type, data } = envelope;
  for (const field of ['id', 'type', 'created_at'])
    if (typeof envelope[field] !== 'string') throw new InvalidEnvelopeError(field);
  const known = eventTypes.includes(type);
  if (known && Object(data) !== data) throw new InvalidEnvelopeError('data');
  return { ...envelope, known } as Event;
};
