import { expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import type { Listing } from '../domain/listing.ts';
import { ListedBots } from './listed-bots.ts';

const anyBot: Listing = {
  ...{ limit: undefined, after: undefined, sort: 'newest', author: undefined },
  ...{ categories: [], integrations: [], words: [] },
};

const bot = (name: string): Bot => ({
  ...{ id: name, slug: name, name, description: `Sorts mail, ${name}`, author: null, url: '', source_url: null },
  ...{ categories: [], integrations: [], install_count: 0, created_at: '' },
});

it('finds by words that are not indexed yet, and by the index once they are', async () => {
  const bots = new ListedBots();
  let seq = 0;
  const put = (name: string): void => {
    seq += 1;
    bots.putBot(bot(name), { id: name, seq, version: seq, changedAtMs: 0 });
    bots.commit();
  };
  const found = async (word: string): Promise<string[]> =>
    [...(await bots.select({ ...anyBot, words: [word] })).ordinals].map((ordinal) => bots.bot(ordinal).name);
  const unread = (): string[] => bots.index.select({ ...anyBot, words: ['mail'] }, bots.listed());

  bots.index.deferWords();
  for (let n = 0; n < 5_000; n += 1) put(`early-${n}`);
  expect(await found('mail')).toHaveLength(5_000);
  expect(unread()).toEqual(['mail']);

  bots.indexWords();
  put('meanwhile');
  expect(await found('meanwhile')).toEqual(['meanwhile']);
  await bots.searchable;
  expect(bots.searchable).toBeUndefined();
  put('late');
  expect(unread()).toEqual([]);
  expect(await found('meanwhile')).toEqual(['meanwhile']);
  expect(await found('late')).toEqual(['late']);
  expect(await found('mail')).toHaveLength(5_002);
});
