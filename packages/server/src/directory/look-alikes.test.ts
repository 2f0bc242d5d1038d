import { beforeEach, expect, it } from 'vitest';
import { exampleBot, type Bot } from '@bot-directory/contract';
import { ListedBots } from './listed-bots.ts';
import { related, textTwin } from './look-alikes.ts';

let bots: ListedBots;
beforeEach(() => {
  bots = new ListedBots();
});

const put = (position: number, description: string, fields: Partial<Bot> = {}): number => {
  const id = `bot-${position}`;
  const entry = { position, version: position, changedAtMs: 0, updatedAtMs: 0, recentInstalls: '', templateId: '' };
  bots.putBot({ ...exampleBot, id, slug: id, name: 'Mail', author: null, description, ...fields }, entry);
  bots.commit();
  return bots.ordinalAt(position) ?? -1;
};

it('finds the one copy among many bots that share common words', () => {
  const common = 'reads your mail every morning and writes a report for the team about it';
  const original = put(1, `${common}, with zebras and quokkas`);
  for (let n = 2; n < 500; n += 1)
    put(n, `${common} ${['a', 'b', 'c', 'd', 'e'].map((word) => `${word}${n}`).join(' ')}`);
  const copy = put(500, `${common}, with ZEBRAS and quokkas`);
  expect(textTwin(bots, copy)).toBe(original);
  expect(textTwin(bots, put(501, `${common}, without any of these animals at all`))).toBeUndefined();
  bots.removeBot({ position: 1, version: 502, changedAtMs: 0 });
  bots.commit();
  expect(textTwin(bots, copy)).toBeUndefined();
});

it('takes one text for another under the same name, the same text under each name, and neither of one author', () => {
  const text = 'finds every invoice that nobody has paid and reminds its debtor in the politest of words';
  const original = put(1, text, { author: '@ada' });
  const twins = (description: string, fields: Partial<Bot>): number | undefined =>
    textTwin(bots, put(bots.listed().length + 2, description, fields));
  expect([
    twins(text.replace('politest', 'kindest'), {}),
    twins(text.replace('politest', 'kindest'), { name: 'Debts' }),
    twins(text, { name: 'Clerk', author: '@eve' }),
    twins(text, { name: 'Chaser', author: '@ADA' }),
  ]).toEqual([original, undefined, original, undefined]);
});

it('relates a bot to those that share most with it, then to the newest, and to none if nothing is shared', () => {
  const all: [name: string, categories: string[], ...integrations: string[]][] = [
    ['none', ['SEO']],
    ['other', ['Marketing'], 'slack', 'zoom'],
    ['old', ['SEO'], 'slack'],
    ['both', ['Marketing', 'SEO'], 'zoom', 'slack'],
    ['new', ['SEO'], 'slack'],
    ['own', ['SEO'], 'slack', 'zoom'],
    ['alone', ['Engineering'], 'slack'],
    ['unsorted', []],
  ];
  for (const [i, [name, categories, ...integrations]] of all.entries())
    bots.putBot(
      {
        ...exampleBot,
        id: name,
        slug: name,
        name,
        description: `Sorts mail, ${name}`,
        author: null,
        categories,
        integrations,
      },
      { position: i + 1, version: i + 1, changedAtMs: 0, updatedAtMs: 0, recentInstalls: '', templateId: '' },
    );
  bots.commit();
  const relatedTo = (name: string): string[] =>
    related(bots, bots.ordinalOfSlug(name) ?? -1).map((ordinal) => bots.bot(ordinal).name);
  expect(relatedTo('own')).toEqual(['both', 'other', 'new']);
  expect(relatedTo('none')).toEqual(['own', 'new', 'both']);
  expect(relatedTo('alone')).toEqual(['own', 'new', 'both']);
  expect(relatedTo('unsorted')).toEqual([]);
});
