import { describe, expect, it } from 'vitest';
import type { Published } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

const submit = async (name: string, fields: object = {}, description = '') => {
  const link = service.link(service.provider.template({ name, description }));
  const { status, body } = await service.post<Published>('/api/bots/submit', { link, ...fields });
  expect(status).toBe(200);
  return body.slug;
};
const flags = async () => {
  const operator = operatorOf(service.redis?.url ?? '', service.url);
  const reports = await operator.run<{ slug: string; reason: string; text: string }[]>('reports');
  return reports.map(({ slug, reason, text }) => [slug, reason, text]);
};
const untilFlagged = (flag: readonly string[]): Promise<void> =>
  until(`${flag.join()} is reported`, async () => (await flags()).some((one) => one.join() === flag.join()));

/** Submits a pair that is reported. Bots are compared in the order in which they came: those before it were too. */
const untilCompared = async (name: string, copy: string): Promise<void> => {
  const twin = await submit(name);
  await untilFlagged([await submit(copy), 'look_alike', `Its name is like that of ${twin}.`]);
};

describe('a bot that looks like another', () => {
  it.each([
    ['Meeting Notes Pro', 'Mееting Nоtes Prо'],
    ['Daily Inbox', 'Daily Іnbоx'],
  ])('is published as %s, and soon reported when it is spelled %s', async (name, copy) => {
    const twin = await submit(name);
    const slug = await submit(copy);
    await untilFlagged([slug, 'look_alike', `Its name is like that of ${twin}.`]);
  });

  it('is reported for a handle that looks like an older one, at the first bot of that handle', async () => {
    const before = (await flags()).length;
    await submit('Ledger', { author: '@alice_10' });
    const slug = await submit('Plants', { author: '@aIice_lO' });
    await untilFlagged([slug, 'look_alike', 'Its author is like that of ledger.']);
    await submit('Flowers', { author: '@aIice_lO' });
    await submit('Trees', { author: '@bob' });
    await untilFlagged([await submit('Тrees'), 'look_alike', 'Its name is like that of trees.']);
    expect((await flags()).length).toBe(before + 2);
  });

  it('is not reported for an honest name in one script', async () => {
    const before = await flags();
    for (const name of ['Modern Mail', 'Modem Mail', 'パパの日記', 'ハハの日記', 'Bot 1', 'Bot I']) await submit(name);
    await untilCompared('Garden', 'Gаrden');
    expect((await flags()).length).toBe(before.length + 1);
  });
});

describe('a bot with the text of another', () => {
  const text =
    'Reads your invoices every Monday, finds those that nobody has paid, and writes a polite letter to each debtor.';

  const flagged = (slug: string, twin: string): Promise<void> =>
    untilFlagged([slug, 'look_alike', `Its text is like that of ${twin}.`]);

  it('is published, and soon reported, however it is named, cased and punctuated', async () => {
    const before = await flags();
    await submit('Invoice Chaser', { author: '@ada' }, text);
    await submit('Poet', {}, 'Writes a poem about your week, in the manner of the poet you like best, and mails it.');
    const copy = text.toUpperCase().replaceAll(',', ' –');
    await submit('Draft', { author: '@mallory', dry_run: true }, copy);
    expect(await submit('Debt Collector', { author: '@mallory' }, copy)).toBe('debt-collector');
    await flagged('debt-collector', 'invoice-chaser');
    expect([(await flags()).length, (await service.get('/api/bots/debt-collector')).status]).toEqual([
      before.length + 1,
      200,
    ]);
  });

  it('is reported under the same name, though some of the text or all of the author differs', async () => {
    expect(await submit('INVOICE-CHASER!', {}, text.replace('polite', 'kind'))).toBe('invoice-chaser-2');
    await flagged('invoice-chaser-2', 'invoice-chaser');
  });

  it('is not reported for a text that says little, or half as much', async () => {
    const before = await flags();
    for (const name of ['Short', 'Brief']) await submit(name, {}, 'Sorts your mail.');
    const more = 'Then it waters the plants, calls the plumber, books a table and orders flowers for two.';
    await submit('Half', {}, `${text} ${more}`);
    await untilCompared('Museum', 'Musеum');
    expect((await flags()).length).toBe(before.length + 1);
  });
});

describe('honest bots', () => {
  it('are not reported: one author, a family of templates, a name that many have', async () => {
    const before = await flags();
    const services = ['Gmail', 'Outlook', 'Slack', 'Notion', 'Linear', 'Jira', 'Zoom', 'Trello', 'Asana', 'Airtable'];
    for (const one of services)
      await submit(
        `${one} digest`,
        {},
        `Reads what is new in ${one} every morning and sends you a short digest of it.`,
      );
    const own = 'Reviews each pull request for errors, asks its author about them, and follows up until all is fixed.';
    for (const version of [1, 2, 2, 3]) await submit(`Reviewer ${version}`, { author: '@grace' }, own);
    await submit('Reviewer 1', { author: '@Grace' }, own);
    for (const text of [
      'Every Friday it collects what the team has finished and mails a page about it to everyone.',
      'Adds up what the shop sold and returned since last Monday, and compares it with the year before.',
      'Asks each sensor of the greenhouse for its temperatures and draws a chart for the gardeners.',
      'Lists which invoices are due next, who must approve them, and how much money that leaves in the bank.',
    ])
      await submit('Weekly Report', {}, text);
    for (let i = 0; i < 2; i += 1) await submit('Сводка');
    await submit('Café Mail', {}, 'Mails the menu of your café to its guests.');
    await submit('CAFE-MAIL!', {}, 'Tells you which mails came while you had a coffee.');
    await untilCompared('Harbour', 'Hаrbour');
    expect((await flags()).length).toBe(before.length + 1);
  });
});
