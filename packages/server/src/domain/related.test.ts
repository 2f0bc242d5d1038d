import { expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { relatedTo } from './related.ts';

const bot = (...integrations: string[]): Bot => ({
  id: 'bot_1',
  slug: 'a',
  name: 'A',
  description: '',
  author: null,
  url: '',
  source_url: null,
  integrations,
  categories: [],
  install_count: 0,
  created_at: '',
});

it('takes those with the most integrations in common, then the newest', () => {
  const candidates = [bot(), bot('slack'), bot('zoom', 'slack'), bot('jira'), bot('slack')].map((one, i) => ({
    ordinal: 10 - i,
    bot: one,
  }));
  expect(relatedTo(bot('slack', 'zoom'), candidates)).toEqual([8, 9, 6]);
  expect(relatedTo(bot(), candidates)).toEqual([10, 9, 8]);
  expect(relatedTo(bot('slack'), [])).toEqual([]);
});
