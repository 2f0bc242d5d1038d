import { beforeEach, expect, it, vi } from 'vitest';
import { exampleBot, type Bot } from '@bot-directory/contract';
import { ListedBots } from './listed-bots.ts';
import { imitation, related, textTwin } from './look-alikes.ts';

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

it('reads few bots to compare one with many of the same name, author and words', () => {
  const text = 'finds every invoice that nobody has paid and reminds its debtor in the politest of words';
  for (let n = 1; n <= 500; n += 1) put(n, `${text} ${n}`, { author: '@ada' });
  const reads = vi.spyOn(bots, 'bot');
  expect(imitation(bots, put(501, text, { author: '@ada' }))).toBeUndefined();
  expect(reads.mock.calls.length).toBeLessThan(30);
});

it('takes a handle for another when its author is new, and a name for the oldest that one of the two disguises', () => {
  const first = put(1, 'One', { name: 'Inbox', author: '@bill' });
  put(2, 'Two', { name: 'Inbox' });
  put(3, 'Three', { name: 'Digest', author: '@biil' });
  const found = (position: number, fields: Partial<Bot>) => imitation(bots, put(position, 'Four', fields));
  expect([
    found(4, { name: 'Other', author: '@BlLL' }),
    found(5, { name: 'Others', author: '@BlLL' }),
    found(6, { name: 'Inb0x' }),
    found(7, { name: 'Іnbox' }),
    found(8, { name: 'Inbox' }),
  ]).toEqual([
    { part: 'author', of: first },
    undefined,
    undefined,
    { part: 'name', of: first },
    { part: 'name', of: first + 6 },
  ]);
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
