import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits, type Problem, type Report } from '@bot-directory/contract';
import { startService, type Service } from '@bot-directory/testing/service';
import { openTestStore } from '@bot-directory/testing/store';
import { keys } from '../../../src/store/keys.ts';
import type { Store } from '../../../src/store/redis.ts';
import { createReportStore } from '../../../src/store/moderation-store.ts';

let service: Service;
let store: Store;
let slug: string;

beforeAll(async () => {
  service = await startService();
  store = await openTestStore(service.redis?.url ?? '');
  slug = await service.publish('Reported Bot');
});
afterAll(async () => {
  await store.close();
  await service.stop();
});

const keysOf = (pattern: string) => store.call((redis) => redis.keys(`${keys.directoryPrefix}${pattern}`));
const report = (body: object, of = slug) => service.post<Report & Problem>(`/api/bots/${of}/reports`, body);

describe('reporting a bot', () => {
  it('keeps reason and text for the operator, and shows them to nobody', async () => {
    const answer = await report({ reason: 'spam', text: 'It sells\u202e nothing.\n\nAt all.' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id: expect.stringMatching(/^rep_/), slug });
    expect(await createReportStore(store).list()).toMatchObject([
      { id: answer.body.id, reason: 'spam', text: 'It sells nothing. At all.' },
    ]);
    expect(JSON.stringify((await service.get(`/api/bots/${slug}`)).body)).not.toContain('sells');
  });

  it('hides nothing', async () => {
    expect((await report({ reason: 'malware' })).status).toBe(200);
    expect((await service.get(`/api/bots/${slug}`)).status).toBe(200);
  });

  it.each([
    [{}, '/reason'],
    [{ reason: 'because' }, '/reason'],
    [{ reason: 'spam', text: 1 }, '/text'],
    [{ reason: 'spam', text: 'x'.repeat(limits.reportLength + 1) }, '/text'],
  ])('refuses %j', async (body, pointer) => {
    const { status, body: problem } = await report(body);
    expect(status).toBe(400);
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('says that there is no such bot', async () => {
    const { status, body } = await report({ reason: 'spam' }, 'no-such-bot');
    expect([status, body.code]).toEqual([404, 'bot_not_found']);
  });

  it('keeps the newest hundred reports of one bot', async () => {
    const other = await service.publish('Much Reported');
    for (let i = 0; i < 103; i += 1) await report({ reason: 'other', text: `report ${i}` }, other);
    const texts = (await createReportStore(store).list()).filter(({ reason }) => reason === 'other');
    expect(texts).toHaveLength(100);
    expect(texts[0]?.text).toBe('report 3');
  });

  it('is kept for 180 days', async () => {
    const days = async (count: number) => {
      const later = await openTestStore(service.redis?.url ?? '', { offsetMs: () => count * 86_400_000 });
      await createReportStore(later).expire();
      const left = (await createReportStore(later).list()).length;
      await later.close();
      return left;
    };
    const before = (await createReportStore(store).list()).length;
    expect(before).toBeGreaterThan(100);
    expect(await days(179)).toBe(before);
    expect(await days(181)).toBe(0);
    expect(await keysOf('report*')).toEqual([]);
  });
});
