/**
 * The service's events, from its contract.
 * Written by `npm run generate`; do not edit.
 */

/** A published bot. */
export interface Bot {
  /** Directory id, of the form bot_<ULID>. */
  id: string;
  /** URL slug. Never changes and is never reused. */
  slug: string;
  /** Display name taken from the template provider; at most 100 characters. */
  name: string;
  /** Short summary taken from the template provider; at most 500 characters. */
  description: string;
  /** Social-platform handle such as `@handle`, or null. */
  author: string | null;
  /** Directory page, of the form {base_url}/bots/<slug>. */
  url: string;
  /** Social-platform status URL, or null. */
  source_url: string | null;
  /** Integration slugs used by the bot; at most 24. */
  integrations: string[];
  /** Directory categories; at most 3. */
  categories: string[];
  /** Times the bot was added through the site's install action. */
  install_count: number;
  /** When the bot was added: ISO 8601, UTC, with milliseconds. */
  created_at: string;
}

/** A bot was published; `data` is the bot as the list shows it when the event is sent. */
export interface BotCreatedEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.created';
  /** The bot. */
  data: Bot;
}

/** A bot left the directory: the operator removed it, or hid it for now, or its template is gone. */
export interface BotRemovedEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.removed';
  /** Which bot, and why. */
  data: {
    /** Directory id, of the form bot_<ULID>. */
    id: string;
    /** URL slug. Never changes and is never reused. */
    slug: string;
    /** Why the operator removed it; null if it is hidden for now; `template_gone` until the provider has its template again. */
    reason: string | null;
  };
}

/** A bot that had left the directory is back; `data` is the bot as the list shows it when the event is sent. */
export interface BotRestoredEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.restored';
  /** The bot. */
  data: Bot;
}

/** A listed bot was refreshed from its template or corrected by the operator; `data` is the bot as the list shows it when the event is sent. */
export interface BotUpdatedEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.updated';
  /** The bot. */
  data: Bot;
}

/** Sent to a URL before it is registered as a webhook. */
export interface PingEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'ping';
  /** Empty. */
  data: Record<string, unknown>;
}

/** Event type → envelope. */
export interface EventMap {
  ping: PingEvent;
  'bot.created': BotCreatedEvent;
  'bot.updated': BotUpdatedEvent;
  'bot.removed': BotRemovedEvent;
  'bot.restored': BotRestoredEvent;
}
