import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventSchemas } from '@bot-directory/contract';
import { draftWith } from '@bot-directory/testing/draft';
import type { BotId, EventId } from '../base/ids.ts';
import { type BotDraft, draftedBot } from './bot.ts';
import { botCreated, pingEnvelope } from './event.ts';

const eventId = 'evt_01M7YAV3PY95EN1YP35H8TDBRX' as EventId;
const draft = (text: string): BotDraft =>
  draftWith({ id: 'bot_01M7YAV3PXPR9JYQYS5FWGY2KM' as BotId, name: text, description: text });

describe('the draft of a bot.created event', () => {
  it('becomes the envelope of the bot under its slug and time, whatever its name and description hold', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('slug_of_', 'time_of_evt_', '\\u0000', '","slug":"x"', '\u2028', '$&', '</script>'),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const { envelope: drafted } = botCreated(eventId, draft(text), 'https://bots.example.com');
        const placing = { slug: 'a-bot-2', createdAtMs: 1_795_240_595_166 };
        const finished = drafted
          .replaceAll(`slug_of_${eventId}`, placing.slug)
          .replaceAll(`time_of_${eventId}`, '2026-11-21T05:56:35.166Z');
        const envelope = eventSchemas['bot.created'].parse(JSON.parse(finished));
        expect(envelope).toEqual({
          id: eventId,
          type: 'bot.created',
          created_at: '2026-11-21T05:56:35.166Z',
          data: JSON.parse(JSON.stringify(draftedBot(draft(text), placing, 'https://bots.example.com'))) as unknown,
        });
      }),
    );
  });
});

describe('the envelope of a ping', () => {
  it('has empty data', () => {
    expect(eventSchemas.ping.parse(pingEnvelope(eventId, 1_795_240_595_166))).toEqual({
      id: eventId,
      type: 'ping',
      created_at: '2026-11-21T05:56:35.166Z',
      data: {},
    });
  });
});
