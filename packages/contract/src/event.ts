/** Events: the table of their types, the envelope that carries them, and the headers of a delivery. */
import * as z from 'zod';
import { bot, withdrawnBot } from './bot.ts';
import { instant, text } from './field.ts';

/** What is known about an event type, and where its events go. */
type EventFacts = {
  /** The name of its envelope's schema, and of the clients' type. */
  readonly id: string;
  readonly description: string;
  readonly data: z.ZodObject;
  /** Whether it is in the event log, which `listEvents` and `streamEvents` return. */
  readonly logged: boolean;
  /** To which webhooks it is POSTed: all that name no events, or those that name it. */
  readonly delivered: 'to all' | 'by choice';
};

/** THE TABLE: event type → its facts. Everything that knows event types derives from here. New types may be added. */
const table = {
  ping: {
    id: 'PingEvent',
    description: 'Sent to a URL before it is registered as a webhook.',
    data: z.object({}).describe('Empty.'),
    logged: false,
    delivered: 'to all',
  },
  'bot.created': {
    id: 'BotCreatedEvent',
    description: 'A bot was published; `data` is the bot as the list shows it when the event is sent.',
    data: bot.describe('The bot.'),
    logged: true,
    delivered: 'to all',
  },
  'bot.updated': {
    id: 'BotUpdatedEvent',
    description:
      'A listed bot was refreshed from its template or corrected by the operator; `data` is the bot as the list shows it when the event is sent.',
    data: bot.describe('The bot.'),
    logged: true,
    delivered: 'by choice',
  },
  'bot.removed': {
    id: 'BotRemovedEvent',
    description: 'A bot left the directory: the operator removed it, or hid it for now, or its template is gone.',
    data: withdrawnBot.describe('Which bot, and why.'),
    logged: true,
    delivered: 'by choice',
  },
  'bot.restored': {
    id: 'BotRestoredEvent',
    description:
      'A bot that had left the directory is back; `data` is the bot as the list shows it when the event is sent.',
    data: bot.describe('The bot.'),
    logged: true,
    delivered: 'by choice',
  },
} as const satisfies Record<string, EventFacts>;

/** Every event type. */
export type EventType = keyof typeof table;

/** Types in the event log. A webhook may choose among them. */
export type LoggedEventType = {
  [Type in EventType]: (typeof table)[Type]['logged'] extends true ? Type : never;
}[EventType];

const envelope = {
  id: text('Event id, of the form evt_<ULID>. The same in every attempt.', 'evt_01M7YAV3PY95EN1YP35H8TDBRX'),
  created_at: instant('ISO 8601, UTC, with milliseconds.'),
};

type EnvelopeSchema<Type extends EventType> = z.ZodObject<
  typeof envelope & { type: z.ZodLiteral<Type>; data: (typeof table)[Type]['data'] }
>;

const envelopeOf = (type: string, { id, description, data }: EventFacts) =>
  z.object({ ...envelope, type: z.literal(type).describe('The event type.'), data }).meta({ id, description });

/** Event type → schema of its envelope. */
// The table's type says which schema belongs to which event type; Object.fromEntries cannot express that.
export const eventSchemas = Object.fromEntries(
  Object.entries(table).map(([type, facts]) => [type, envelopeOf(type, facts)]),
) as unknown as { readonly [Type in EventType]: EnvelopeSchema<Type> };

const typesWhere = (isOne: (facts: EventFacts) => boolean) =>
  Object.entries(table).flatMap(([type, facts]) => (isOne(facts) ? [type] : []));

/** All types, in the table's order. */
export const eventTypes = Object.keys(table) as readonly EventType[];

/** Types in the event log, in the table's order. */
export const loggedEventTypes = typesWhere(({ logged }) => logged) as readonly LoggedEventType[];

/** Types that a webhook receives if it names none. */
export const defaultEventTypes = typesWhere(
  ({ logged, delivered }) => logged && delivered === 'to all',
) as readonly LoggedEventType[];

/** Event type → envelope. */
export type EventMap = { [Type in EventType]: z.infer<EnvelopeSchema<Type>> };

/** An event in the log. */
export type DirectoryEvent = EventMap[LoggedEventType];

/** The envelope of any event in the log. */
export const directoryEvent = z.union(loggedEventTypes.map((type) => eventSchemas[type])).meta({
  id: 'DirectoryEvent',
  description: 'An event in the log. New types may be added.',
}) as z.ZodType<DirectoryEvent>;

/** The `User-Agent` of every delivery. */
export const deliveryUserAgent = 'Service-Webhook/1.0';

/** Header names of a delivery: two of our own, and three of Standard Webhooks. */
export const deliveryHeaders = {
  event: 'X-Service-Event',
  delivery: 'X-Service-Delivery',
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;
