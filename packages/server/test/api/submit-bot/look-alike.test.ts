import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Published } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

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

describe('a bot with the text of another', () => {
  const text =
    'Reads your invoices every Monday, finds those that nobody has paid, and writes a polite letter to each debtor.';

  it('is published and reported, however it is named, cased and punctuated', async () => {
    const before = await flags();
    await submit('Invoice Chaser', {}, text);
    await submit('Poet', {}, 'Writes a poem about your week, in the manner of whoever you like best, and mails it.');
    expect(await flags()).toEqual(before);
    const copy = text.toUpperCase().replace('POLITE', 'KIND').replaceAll(',', ' –');
    expect(await submit('Debt Collector', {}, copy)).toBe('debt-collector');
    const [flag, ...others] = (await flags()).slice(before.length);
    expect(flag).toEqual(['debt-collector', 'look_alike', 'Its text is like that of invoice-chaser.']);
    expect([others, (await service.get('/api/bots/debt-collector')).status]).toEqual([[], 200]);
  });

  it('is reported twenty times in a second, so that a wave of submits does not wait for comparisons', async () => {
    const before = await flags();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000);
    try {
      for (let n = 1; n <= 22; n += 1) await submit(`Wave ${n}`, {}, text);
      const reported = (await flags()).slice(before.length).map(([slug]) => slug);
      expect(reported).toEqual(Array.from({ length: 20 }, (_, i) => `wave-${i + 1}`));
      clock.mockReturnValue(performance.now() + 1_000);
      await submit('After the wave', {}, text);
      expect((await flags()).slice(before.length + 20).map(([slug]) => slug)).toEqual(['after-the-wave']);
    } finally {
      clock.mockRestore();
    }
  });

  it('is not reported for a text that says little, or half as much', async () => {
    const before = await flags();
    for (const name of ['Short', 'Brief']) await submit(name, {}, 'Sorts your mail.');
    await submit(
      'Half',
      {},
      `${text} Then it waters the plants, calls the plumber, books a table and orders flowers for two.`,
    );
    expect(await flags()).toEqual(before);
  });
});
