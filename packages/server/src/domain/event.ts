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
 * The JSON of a `bot.created` envelope, cut at the two places where the slug goes (data.slug, and the end of data.url),
 * so that the script which decides the slug also writes the finished envelope.
 */
export const botCreatedParts = (id: EventId, draft: BotDraft, baseUrl: string): readonly [string, string, string] => {
  // The bot's own id is new, so no name or description can hold it.
  const hole = `slug-of-${draft.id}`;
  const envelope: EventMap['bot.created'] = {
    id,
    type: 'bot.created',
    created_at: timestamp(draft.createdAtMs),
    data: draftedBot(draft, hole, baseUrl),
  };
  const [before, between, after, ...rest] = JSON.stringify(envelope).split(hole);
  if (before === undefined || between === undefined || after === undefined || rest.length > 0)
    throw new Error('a bot has exactly two places for its slug');
  return [before, between, after];
};
