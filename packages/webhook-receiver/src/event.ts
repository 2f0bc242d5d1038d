/**
 * Events: the envelopes that this version knows, and whatever a newer service sends. Unknown types and extra fields
 * are never an error; a known event that lacks what its type promises is.
 */
import { InvalidEnvelopeError } from './errors.ts';
import { dataFields, type EventMap } from './types.gen.ts';

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

/** Checks an envelope. Throws `InvalidEnvelopeError`. */
export const readEvent = (value: unknown): Event => {
  if (!isRecord(value)) throw new InvalidEnvelopeError('the body is not an object');
  for (const field of ['id', 'type', 'created_at']) demand(value, field, 'string');
  const { type, data } = value;
  const known = isKnownType(type);
  if (known) checkData(data, dataFields[type]);
  // What its type promises has just been checked, field by field.
  return { ...value, known } as Event;
};

const isKnownType = (type: unknown): type is EventType => typeof type === 'string' && Object.hasOwn(dataFields, type);

const checkData = (data: unknown, fields: Record<string, string>): void => {
  if (!isRecord(data)) throw new InvalidEnvelopeError('data is not an object');
  for (const [field, kind] of Object.entries(fields)) demand(data, field, kind);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const demand = (record: Record<string, unknown>, field: string, kind: string): void => {
  const value = record[field];
  const holds =
    kind === 'string[]'
      ? Array.isArray(value) && value.every((item) => typeof item === 'string')
      : typeof value === kind.replace('?', '') || (value === null && kind.endsWith('?'));
  if (!holds) throw new InvalidEnvelopeError(`${field} is not ${kind}`);
};
