import { expect, it } from 'vitest';
import { exampleBot } from '@bot-directory/contract';
import { createIds } from '../base/ids.ts';
import type { LoggedEvent } from '../domain/event.ts';
import { createBodyIn } from './deliver.ts';

const ids = createIds(Date.now);
const eventOf = (name: string): LoggedEvent => {
  const [id, type] = [ids.event(), 'bot.created'] as const;
  const envelope = { id, type, created_at: '2026-11-21T05:58:35.166Z', data: { ...exampleBot, name } };
  return { number: 1, id, type, publishedAtMs: 0, body: Buffer.from(JSON.stringify(envelope)) };
};

it('makes each event once in each format, however often it is read from the store', () => {
  const bodyIn = createBodyIn('https://directory.example.com');
  const event = eventOf('One');
  const first = bodyIn('slack', event);
  expect(bodyIn('slack', { ...event })).toBe(first);
  expect(bodyIn('discord', event).toString()).toContain('"embeds"');
  expect(bodyIn('slack', eventOf('Two')).toString()).toContain('New bot: Two');
  expect(first.toString()).toContain('New bot: One');
});
