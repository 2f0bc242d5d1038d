import { describe, expect, it } from 'vitest';
import { isDisguised, skeleton } from './look-alike.ts';

const isImitation = (one: string, other: string): boolean =>
  skeleton(one) === skeleton(other) && [one, other].some(isDisguised);

describe('a name', () => {
  it.each([
    ['Mееting Nоtes Prо', 'Meeting Notes Pro'],
    ['МEETING NOTES', 'Meeting notes'],
    ['Сору', 'Copy'],
    ['Іnbox', 'Inbox'],
    ['inbоx', 'Inbox'],
    ['Ρaypal', 'PayPal'],
    ['Cаfé', 'Cafe'],
    ['Ѕlасk Аlerts', 'slack-alerts'],
    ['Ꮯaldendar'.replace('den', 'en'), 'Calendar'],
    ['mоdern', 'Modern'],
    ['Бoт', 'Бот'],
    ['VК бот', 'VK бот'],
  ])('%s imitates %s', (one, other) => {
    expect(isImitation(one, other)).toBe(true);
    expect(isImitation(other, one)).toBe(true);
  });

  it.each([
    ['Modern', 'Modem'],
    ['Bot 1', 'Bot l'],
    ['Level 10', 'Level IO'],
    ['Vol. I 日記', 'Vol. 1 日記'],
    ['ボット1', 'ボットI'],
    ['ハハの日記', 'パパの日記'],
    ['ロ', '口'],
    ['Москва', 'Moskva'],
    ['Сводка дня', 'Cводкa'],
    ['मेल', 'मेला'],
    ['Café', 'Cafe'],
  ])('%s does not imitate %s', (one, other) => expect(isImitation(one, other)).toBe(false));
});

it.each([
  'Москва',
  'AI Assistant',
  'GPT-Помощник',
  'AIアシスタント',
  'K팝 뉴스',
  'Ελλάδα',
  '微信bot',
  'שלום',
  'Việt Nam',
  'naïve 2',
])('%s is not disguised', (text) => expect(isDisguised(text)).toBe(false));

it('has one skeleton for what UTS #39 says looks alike', () => {
  expect(new Set(['paypal', 'рaураl', 'PAYPAL', 'pаypaІ', 'payp\u200dal'].map(skeleton)).size).toBe(1);
});
