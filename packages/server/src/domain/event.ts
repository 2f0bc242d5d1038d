/** Envelopes of events, as the bytes that are sent. */
import type { Bot, DirectoryEvent, EventMap, LoggedEventType } from '@bot-directory/contract';
import { timestamp } from '../base/time.ts';
import type { EventId } from '../base/ids.ts';
import { type BotDraft, botFromHash, draftedBot } from './bot.ts';

/** The envelope of a ping. */
export const pingEnvelope = (id: EventId, nowMs: number): EventMap['ping'] => ({
  id,
  type: 'ping',
  created_at: timestamp(nowMs),
  data: {},
});

/**
 * An event that lacks only what the script decides that publishes it. In its envelope, placeholders stand for the time
 * and, in that of a new bot, for the slug: see `lua/include/event.lua`. `about`: the bot, if the envelope lacks what
 * filters look at.
 */
export type EventDraft = {
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly envelope: string;
  readonly about?: Bot;
};

type EventContent = {
  [Event in DirectoryEvent as Event['type']]: Pick<Event, 'type' | 'data'>;
}[DirectoryEvent['type']];

/** Drafts an event. `contentOf` gets the placeholders. The event's id is new, so no text of a bot can contain them. */
export const draftEvent = (
  id: EventId,
  contentOf: (placeholders: { readonly slug: string; readonly time: string }) => EventContent,
): EventDraft => {
  const [slug, time] = [`slug_of_${id}`, `time_of_${id}`];
  const { type, data } = contentOf({ slug, time });
  return { id, type, envelope: JSON.stringify({ id, type, created_at: time, data }) };
};

/** The `bot.updated` event of a bot whose hash is now this. */
export const botUpdated = (id: EventId, hash: ReadonlyMap<string, string>, baseUrl: string): EventDraft =>
  draftEvent(id, () => ({ type: 'bot.updated', data: botFromHash(hash, baseUrl).bot }));

/** The `bot.removed` event of a bot whose hash is this. `reason`: null if it is only hidden. */
export const botRemoved = (
  id: EventId,
  hash: ReadonlyMap<string, string>,
  { reason, baseUrl }: { readonly reason: string | null; readonly baseUrl: string },
): EventDraft => {
  const about = botFromHash(hash, baseUrl).bot;
  const data = { id: about.id, slug: about.slug, reason };
  return { ...draftEvent(id, () => ({ type: 'bot.removed', data })), about };
};

/** The `bot.restored` event of a bot whose hash is now this. */
export const botRestored = (id: EventId, hash: ReadonlyMap<string, string>, baseUrl: string): EventDraft =>
  draftEvent(id, () => ({ type: 'bot.restored', data: botFromHash(hash, baseUrl).bot }));

/** The `bot.created` event of a draft. */
export const botCreated = (id: EventId, draft: BotDraft, baseUrl: string): EventDraft =>
  draftEvent(id, ({ slug, time }) => ({
    type: 'bot.created',
    data: { ...draftedBot(draft, { slug, createdAtMs: 0 }, baseUrl), created_at: time },
  }));
