/** Envelopes of events, as the bytes that are sent. */
import type { EventMap } from '@bot-directory/contract';
import { timestamp } from '../base/clock.ts';
import type { EventId } from '../base/ids.ts';
import type { BotDraft } from './bot.ts';
import { draftedBot } from './bot-fields.ts';

/** The envelope of a ping. */
export const pingEnvelope = (id: EventId, nowMs: number): EventMap['ping'] => ({
  id,
  type: 'ping',
  created_at: timestamp(nowMs),
  data: {},
});

/**
 * An envelope with placeholders: `slug` for its slug, and `time` for its time. Both consist of letters, digits and `_`.
 */
export type EnvelopeTemplate = { readonly json: string; readonly slug: string; readonly time: string };

/** The `bot.created` envelope of a draft. The script that decides slug and time replaces the placeholders. */
export const botCreatedTemplate = (id: EventId, draft: BotDraft, baseUrl: string): EnvelopeTemplate => {
  // The bot's own id is new, so no name or description can contain it.
  const [slug, time] = [`slug_of_${draft.id}`, `time_of_${draft.id}`];
  const envelope: EventMap['bot.created'] = {
    id,
    type: 'bot.created',
    created_at: time,
    data: { ...draftedBot(draft, { slug, createdAtMs: 0 }, baseUrl), created_at: time },
  };
  return { json: JSON.stringify(envelope), slug, time };
};
