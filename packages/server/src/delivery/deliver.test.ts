import { expect, it } from 'vitest';
import { createIds } from '../base/ids.ts';
import { LoggedBot, LoggedEvent } from '../domain/event.ts';
import { createBodyIn } from './deliver.ts';

const ids = createIds(Date.now);
const bot = ids.bot();
const entry = { number: 1, id: ids.event(), type: 'bot.created', publishedAtMs: 0, bot, reason: null } as const;
const eventOf = (name: string): LoggedEvent => {
  const hash = new Map(Object.entries({ id: bot, slug: 'bot', name, created_at: '0' }));
  return new LoggedEvent(entry, new LoggedBot(bot, hash, { baseUrl: 'https://directory.example.com' }));
};

it('makes an event once in each format until its bot changes, however often it is read from the store', () => {
  const bodyIn = createBodyIn('https://directory.example.com');
  const event = eventOf('One');
  const first = bodyIn('slack', event);
  expect(bodyIn('slack', eventOf('One'))).toBe(first);
  expect(bodyIn('discord', event).toString()).toContain('"embeds"');
  expect(bodyIn('slack', eventOf('Two')).toString()).toContain('New bot: Two');
  expect(first.toString()).toContain('New bot: One');
});
