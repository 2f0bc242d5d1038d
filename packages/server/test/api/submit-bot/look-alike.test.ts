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

describe('a bot with the name of another', () => {
  it('is published, and reported to the operator', async () => {
    await submit('Café Mail');
    await submit('Café Mail Plus');
    expect(await flags()).toEqual([]);
    await submit('CAFE-MAIL!', { dry_run: true });
    expect(await flags()).toEqual([]);
    expect(await submit('CAFE-MAIL!')).toBe('cafe-mail-2');
    expect(await flags()).toEqual([['cafe-mail-2', 'look_alike', 'Its name is like that of cafe-mail.']]);
    expect((await service.get('/api/bots/cafe-mail-2')).status).toBe(200);
  });

  it('is not reported for a name that no slug can spell', async () => {
    const before = await flags();
    for (let i = 0; i < 2; i += 1) await submit('Сводка');
    expect(await flags()).toEqual(before);
  });
});

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
    await submit('Garden');
    await untilFlagged([await submit('Gаrden'), 'look_alike', 'Its name is like that of garden.']);
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
    await submit('Invoice Chaser', {}, text);
    await submit('Poet', {}, 'Writes a poem about your week, in the manner of the poet you like best, and mails it.');
    const copy = text.toUpperCase().replace('POLITE', 'KIND').replaceAll(',', ' –');
    expect(await submit('Debt Collector', {}, copy)).toBe('debt-collector');
    await flagged('debt-collector', 'invoice-chaser');
    expect([(await flags()).length, (await service.get('/api/bots/debt-collector')).status]).toEqual([
      before.length + 1,
      200,
    ]);
  });

  it('is not reported for a text that says little, or half as much', async () => {
    const before = await flags();
    for (const name of ['Short', 'Brief']) await submit(name, {}, 'Sorts your mail.');
    const more = 'Then it waters the plants, calls the plumber, books a table and orders flowers for two.';
    await submit('Half', {}, `${text} ${more}`);
    // They are compared in the order in which they came.
    await submit('Dunning Clerk', {}, text);
    await flagged('dunning-clerk', 'invoice-chaser');
    expect((await flags()).length).toBe(before.length + 1);
  });
});
