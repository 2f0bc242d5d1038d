import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventSchemas, type LoggedEventType } from '@bot-directory/contract';
import { draftWith } from '@bot-directory/testing/draft';
import type { BotId, EventId } from '../base/ids.ts';
import { botToHash, draftedBot } from './bot.ts';
import { LoggedBot, LoggedEvent, pingEnvelope, RecentEvents } from './event.ts';

const baseUrl = 'https://bots.example.com';
const bot = 'bot_01M7YAV3PXPR9JYQYS5FWGY2KM' as BotId;
const eventId = 'evt_01M7YAV3PY95EN1YP35H8TDBRX' as EventId;
const placing = { slug: 'a-bot-2', createdAtMs: 1_795_240_595_166 };

const draftOf = (text: string) => draftWith({ id: bot, name: text, description: text });
const hashOf = (text: string, state?: string): Map<string, string> => {
  const flat = botToHash(draftOf(text)).map(String);
  const pairs = flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : []));
  const placed = [...pairs, ['slug', placing.slug], ['created_at', String(placing.createdAtMs)]] as const;
  return new Map([...placed, ...(state === undefined ? [] : [['state', state] as const])]);
};
const botOf = (hash: ReadonlyMap<string, string>): LoggedBot => new LoggedBot(bot, hash, { baseUrl });
const entryOf = (type: LoggedEventType, number = 1, reason: string | null = null) => {
  return { number, id: eventId, type, publishedAtMs: placing.createdAtMs, bot, reason };
};
const parsed = (event: LoggedEvent): unknown => JSON.parse(event.body.toString()) as unknown;

describe('an event of the log', () => {
  it('has the bot as its hash is, whatever its name and description hold', () => {
    const hostile = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\\u0000', '","slug":"x"', '\u2028', '$&'));
    fc.assert(
      fc.property(hostile, (text) => {
        const event = new LoggedEvent(entryOf('bot.created'), botOf(hashOf(text)));
        expect(eventSchemas['bot.created'].parse(parsed(event))).toEqual({
          id: eventId,
          type: 'bot.created',
          created_at: '2026-11-21T05:56:35.166Z',
          data: JSON.parse(JSON.stringify(draftedBot(draftOf(text), placing, baseUrl))) as unknown,
        });
      }),
    );
  });

  it('says of a removal what it is about, and why', () => {
    const removed = botOf(new Map(Object.entries({ id: bot, slug: 'a-bot-2', state: 'removed' })));
    expect(parsed(new LoggedEvent(entryOf('bot.removed', 1, 'Spam.'), removed))).toEqual({
      id: eventId,
      type: 'bot.removed',
      created_at: '2026-11-21T05:56:35.166Z',
      data: { id: bot, slug: 'a-bot-2', reason: 'Spam.' },
    });
  });

  it.each([
    [undefined, ['bot.created', 'bot.updated', 'bot.restored']],
    ['hidden', ['bot.removed']],
    ['removed', ['bot.removed']],
  ])('is true of a bot whose state is %s, if it is one of %s', (state, types) => {
    const all = ['bot.created', 'bot.updated', 'bot.removed', 'bot.restored'] as const;
    const known = botOf(hashOf('A bot', state));
    expect(all.filter((type) => new LoggedEvent(entryOf(type), known).isTrue)).toEqual(types);
  });
});

describe('the newest events', () => {
  it('have one bot for all of its events, as the last of them has it', () => {
    const recent = new RecentEvents(0);
    recent.append([new LoggedEvent(entryOf('bot.created', 1), botOf(hashOf('Before')))]);
    const { changes } = recent;
    recent.append([new LoggedEvent(entryOf('bot.updated', 2), botOf(hashOf('After')))]);
    const events = recent.after(0, 10) ?? [];
    expect(events.map((event) => event.body.toString().includes('After'))).toEqual([true, true]);
    expect(events[0]?.bot).toBe(events[1]?.bot);
    expect(recent.changes).not.toBe(changes);
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
