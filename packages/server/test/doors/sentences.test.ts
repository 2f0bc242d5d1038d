/** Where a person or a model reads the result, a sentence finds what it is about; for the API, `q` is all its words. */
import { beforeAll, describe, expect, it } from 'vitest';
import { addressOf, type Bot } from '@bot-directory/contract';
import { useStarted } from '@bot-directory/testing/use-started';
import { startSite } from '@bot-directory/testing/site';

const site = useStarted(() => startSite());
beforeAll(async () => {
  const bots = {
    'Meeting notes': 'Writes down what was decided, and mails it to everybody.',
    'Release notes bot': 'Drafts the notes of a release from its commits, for anyone to edit.',
    'Invoice chaser': 'Sends friendly reminders of invoices that are unpaid after thirty days.',
    議事録メモ: '会議の音声から議事録を作成します。',
    'How do I': 'A bot that answers how people do things in an office.',
  };
  for (const [name, description] of Object.entries(bots)) await publish(name, description);
  for (let i = 0; i < 20; i += 1)
    await publish(`Helper ${i}`, 'A bot for what you do every day, and how to do it in less time.');
});
const publish = async (name: string, description: string): Promise<void> => {
  const link = site.link(site.provider.template({ name, description }));
  expect((await site.post('/api/bots/submit', { link })).status).toBe(200);
};

const long =
  'Please find me something which chases customers whose invoices remain unpaid, politely but firmly, thanks a lot';
const sentences: [q: string, slug: string, leftOut: string][] = [
  ['a bot for meeting notes', 'meeting-notes', 'bot'],
  ['how do I chase unpaid invoices', 'invoice-chaser', 'how'],
  [long, 'invoice-chaser', 'thanks'],
  ['meeting notes please', 'meeting-notes', 'please'],
];

describe.each(sentences)('the sentence “%s”', (q, slug, leftOut) => {
  it('finds %s on the page, which says what it left out', async () => {
    const html = await (await site.html(addressOf('/', { q }))).text();
    expect(/<h2[^>]*><a[^>]*href="\/bots\/([^"]*)"/.exec(html)?.[1]).toBe(slug);
    expect(/left out: <bdi>([^<]*)</.exec(html)?.[1]?.split(', ')).toContain(leftOut);
  });

  it.each(['/bots.json', '/bots.atom'])('finds it in the feed %s, whose title says so', async (path) => {
    const text = await (await site.html(addressOf(path, { q }))).text();
    expect(/\/bots\/([a-z-]+)"?</.exec(text)?.[1] ?? /\/bots\/([a-z-]+)"/.exec(text)?.[1]).toBe(slug);
    expect(/”, without ([^"<]*)/.exec(text)?.[1]?.split(', ')).toContain(leftOut);
  });
});

it('in a script without spaces is read by its parts', async () => {
  const html = await (await site.html(addressOf('/', { q: '会議の議事録を書くボット' }))).text();
  expect(html).toContain('議事録メモ');
});

it('is all words for the API, of which there are at most twelve', async () => {
  const { body } = await site.get<Bot[]>(addressOf('/api/bots', { q: 'a bot for meeting notes' }));
  expect(body).toEqual([]);
  expect((await site.get(addressOf('/api/bots', { q: long }))).status).toBe(400);
});
