import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Published } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const submit = async (name: string, fields: object = {}) => {
  const link = service.link(service.provider.template({ name }));
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
