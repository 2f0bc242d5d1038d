/** Events: the envelope that is POSTed to webhooks (source 6), and the headers that come with it. */
import * as z from 'zod';
import { bot } from './bot.ts';

const envelope = {
  id: z.string().describe('Event id, shaped evt_<ULID>. The same in every attempt.'),
  created_at: z.string().describe('ISO 8601, UTC, with milliseconds.'),
};

/** Sent before a webhook is saved. */
export const pingEvent = z
  .object({ ...envelope, type: z.literal('ping'), data: z.object({}).describe('Empty.') })
  .meta({ id: 'PingEvent' });
export type PingEvent = z.infer<typeof pingEvent>;

/** Sent to every webhook when a bot is published; `data` is the bot as the list shows it. */
export const botCreatedEvent = z
  .object({ ...envelope, type: z.literal('bot.created'), data: bot })
  .meta({ id: 'BotCreatedEvent' });
export type BotCreatedEvent = z.infer<typeof botCreatedEvent>;

/** Event type → envelope. New types may be added. */
export type EventMap = { ping: PingEvent; 'bot.created': BotCreatedEvent };
export type EventType = keyof EventMap;

/** The `User-Agent` of every delivery (source 6.1). */
export const deliveryUserAgent = 'Service-Webhook/1.0';

/** Header names of a delivery (source 6.1, and the three of Standard Webhooks). */
export const deliveryHeaders = {
  event: 'X-Service-Event',
  delivery: 'X-Service-Delivery',
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;
