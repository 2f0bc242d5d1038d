import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits, type Problem, type Report } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../../src/store/keys.ts';
import type { Store } from '../../../src/redis/redis.ts';
import { createIds, type BotId } from '../../../src/base/ids.ts';
import { createBotStore } from '../../../src/store/bots/bot-store.ts';
import { createReportStore } from '../../../src/store/reports/report-store.ts';

const ids = createIds(Date.now);
let store: Store;
let slug: string;

const service = useStarted(startService);
beforeAll(async () => {
  store = await openTestStore(service.redis?.url ?? '');
  slug = await service.publish('Reported Bot');
});
afterAll(async () => {
  await store.close();
});

const keysOf = (pattern: string) => store.call((redis) => redis.keys(`*:${pattern}`));
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

  it('counts once for each client and reason, and has all that the client said', async () => {
    const [spam, malware] = await createReportStore(store).list();
    const again = async (text: string) => (await report({ reason: 'spam', text })).body.id;
    expect(await again('It sells nothing. At all.')).toBe(spam?.id);
    expect(await again('')).toBe(spam?.id);
    expect(await again('It asks for a password.')).toBe(spam?.id);
    const found = await createReportStore(store).list();
    expect(found).toMatchObject([
      { id: malware?.id, reason: 'malware', text: '' },
      { id: spam?.id, reason: 'spam', text: 'It sells nothing. At all. | It asks for a password.' },
    ]);
    expect(found[0]?.client).toMatch(/^[\w-]{22}$/);
    expect(JSON.stringify(found)).not.toContain('127.0.0.1');
  });

  it('is another report when its text would be too long: each 200 is true', async () => {
    const talked = await service.publish('Much Talked About');
    const letters = 'abcdefghij'.split('');
    const sent = await Promise.all(
      letters.map(async (letter) => (await report({ reason: 'other', text: letter.repeat(900) }, talked)).body.id),
    );
    const found = (await createReportStore(store).list()).filter(({ id }) => sent.includes(id));
    expect(found).toHaveLength(3);
    for (const letter of letters) expect(found.some(({ text }) => text.includes(letter.repeat(900)))).toBe(true);
    await createReportStore(store).close(found, [talked], { name: 'test', command: 'reports close' });
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

  it('says that a reason is required', async () => {
    expect((await report({})).body.errors).toEqual([{ pointer: '/reason', detail: 'is required' }]);
  });

  it('says that there is no such bot', async () => {
    const { status, body } = await report({ reason: 'spam' }, 'no-such-bot');
    expect([status, body.code]).toEqual([404, 'bot_not_found']);
  });

  it('keeps a hundred reports of a client, and drops its oldest', async () => {
    const reports = createReportStore(store);
    const subjects = await Promise.all(Array.from({ length: 103 }, (_, i) => service.publish(`Much Reported ${i}`)));
    const send = async (of: string, text: string, network: string): Promise<void> => {
      const subject = (await createBotStore(store).idOfSlug(of)) ?? ('' as BotId);
      await reports.add({ id: ids.report(), subject, reason: 'other', text, network });
    };
    const kept = async () => (await reports.list()).flatMap(({ text }) => (/^(flood|other) /.test(text) ? [text] : []));
    const dropped = () => store.call((redis) => redis.hget(keys.state, 'dropped_reports'));
    await send(subjects[0] ?? '', 'other 0', '192.0.2.2');
    for (const [i, slug] of subjects.slice(0, 100).entries()) await send(slug, `flood ${i}`, '192.0.2.1');
    expect([(await kept()).length, await dropped()]).toEqual([101, null]);
    for (const [i, slug] of subjects.slice(100).entries()) await send(slug, `flood ${100 + i}`, '192.0.2.1');
    expect(await kept()).toEqual(['other 0', ...Array.from({ length: 100 }, (_, i) => `flood ${i + 3}`)]);
    expect(await dropped()).toBe('3');
  });

  it('keeps two thousand in all, and drops the oldest of the client with the most', async () => {
    const reports = createReportStore(store);
    const before = await reports.list();
    const subject = before[0]?.subject ?? ('' as BotId);
    const made = Array.from({ length: 2_000 - before.length }, (_, i) => `rep_${i} ${subject} client-${i} spam`);
    await store.call((redis) => redis.hset(keys.reports, ...made.flatMap((name) => [name, `${Date.now()} made`])));
    await reports.add({ id: ids.report(), subject, reason: 'other', text: 'new', network: '192.0.2.9' });
    const after = await reports.list();
    expect(after).toHaveLength(2_000);
    const gone = before.filter(({ id }) => !after.some((report) => report.id === id));
    expect(gone.map(({ text }) => text)).toEqual(['flood 3']);
    await store.call((redis) => redis.hdel(keys.reports, ...made));
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
