/** A block holds from the next submission on, in every process. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Bot, DirectoryEvent, Problem, Published } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

let operator: ReturnType<typeof operatorOf>;

const one = useStarted(startService);
const other = useStarted(() => startService({ redis: one.redis, provider: one.provider }));
beforeAll(() => {
  operator = operatorOf(one.redis?.url ?? '', one.url);
});

const submit = (service: Service, page: { name: string; description?: string }, more: object = {}) =>
  service.post<Published & Problem>('/api/bots/submit', { link: one.link(one.provider.template(page)), ...more });

describe('a block', () => {
  it('of words refuses what has them in its name or description', async () => {
    expect((await submit(other, { name: 'Casino Royale' })).status).toBe(200);
    await operator.run('block', 'words', 'casino*', '--reason', 'Gambling.');
    for (const page of [{ name: 'The CASINOS' }, { name: 'Harmless', description: 'Win at the casino.' }]) {
      for (const service of [one, other]) {
        const { status, body } = await submit(service, page);
        expect([status, body.code]).toEqual([400, 'submission_blocked']);
      }
    }
    expect((await submit(one, { name: 'Occasional' })).status).toBe(200);
    await operator.run('unblock', 'words', 'casino*');
    expect((await submit(other, { name: 'The CASINOS' })).status).toBe(200);
  });

  it('of an author or a template refuses those, without asking the template provider', async () => {
    const template = one.provider.template({ name: 'Blocked Template' });
    await operator.run('block', 'author', '@Mallory');
    await operator.run('block', 'template', template);
    expect((await submit(other, { name: 'By Mallory' }, { author: 'mallory' })).body.code).toBe('submission_blocked');
    expect((await other.post<Problem>('/api/bots/submit', { link: one.link(template) })).body.code).toBe(
      'submission_blocked',
    );
    expect(one.provider.requests).not.toContain(template);
    expect((await submit(other, { name: 'By Alice' }, { author: 'alice' })).status).toBe(200);
    expect(await operator.run('block')).toMatchObject([{ kind: 'author', value: '@mallory' }, { kind: 'template' }]);
    await operator.run('unblock', 'author', 'MALLORY');
    expect((await submit(other, { name: 'By Mallory' }, { author: 'mallory' })).status).toBe(200);
  });

  it('that is set while a template is being fetched holds for its bot', async () => {
    const template = one.provider.template((_req, res) => {
      void operator.run('block', 'words', 'hasty').then(() => {
        res.setHeader('Content-Type', 'application/json');
        res.end('{"name":"Hasty Bot"}');
      });
    });
    const { body } = await one.post<Problem>('/api/bots/submit', { link: one.link(template) });
    expect(body.code).toBe('submission_blocked');
  });

  it('of an author, or of words in a handle, holds for posts in every process', async () => {
    const add = (url: string) => other.post<Problem>('/api/feed', { url: `https://x.com/${url}` });
    const inFeed = async () => (await one.get<{ url: string }[]>('/api/feed')).body.map(({ url }) => url);
    await operator.run('block', 'author', '@Spammer');
    await operator.run('block', 'words', 'casino*');
    for (const url of ['SPAMMER/status/1', 'spammer/status/1', 'Casino_Royale/status/2', 'the_casinos/status/3']) {
      const { status, body } = await add(url);
      expect([url, status, body.code]).toEqual([url, 400, 'submission_blocked']);
    }
    expect((await add('occasional/status/4')).status).toBe(200);
    await operator.run('unblock', 'author', 'spammer');
    await operator.run('unblock', 'words', 'casino*');
    expect((await add('spammer/status/1')).status).toBe(200);
    expect(await inFeed()).toEqual(['https://x.com/spammer/status/1', 'https://x.com/occasional/status/4']);
  });

  it.each([
    ['nonsense', 'x'],
    ['author', 'two words'],
    ['words', '***'],
    ['template', 'a/b'],
  ])('of %s %s is refused', async (kind, value) => {
    expect(await operator.attempt('block', kind, value)).toMatchObject({ code: 1 });
  });
});

describe('submissions', () => {
  it('that are closed are 503 with Retry-After, while everything else goes on', async () => {
    const { body: there } = await submit(one, { name: 'There Before' });
    await operator.run('submissions', 'off', '--reason', 'A wave of spam.');
    const refused = await submit(other, { name: 'Too Late' });
    expect([refused.status, refused.body.code]).toEqual([503, 'submissions_closed']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const post = await other.post<Problem>('/api/feed', { url: 'https://x.com/ada/status/77' });
    expect([post.status, post.body.code]).toEqual([503, 'submissions_closed']);
    const integrations = await other.post(`/api/bots/${there.slug}/integrations`, { integrations: ['zoom'] });
    expect(integrations.status).toBe(200);
    const closed = async () =>
      /^directory_submissions_closed (\d)$/m.exec(await (await fetch(`${one.url}/metrics`)).text())?.[1];
    expect(await closed()).toBe('1');
    await operator.run('submissions', 'on');
    expect(await closed()).toBe('0');
    expect((await submit(other, { name: 'In Time' })).status).toBe(200);
    expect((await other.post('/api/feed', { url: 'https://x.com/ada/status/77' })).status).toBe(200);
  });

  it('wait for the operator where APPROVE_FIRST is set, and are published when they are approved', async () => {
    const careful = await startService({
      redis: one.redis,
      provider: one.provider,
      settings: { APPROVE_FIRST: 'true' },
    });
    try {
      const link = one.link(one.provider.template({ name: 'Patient Bot' }));
      const { status, body } = await careful.post('/api/bots/submit', { link });
      const place = { slug: 'patient-bot', url: '/bots/patient-bot' };
      expect([status, body]).toEqual([200, { ...place, pending: true }]);
      const again = async () => (await other.post<Problem>('/api/bots/submit', { link })).body;
      const detail = 'This template was submitted before, as patient-bot, and waits for the operator’s approval.';
      expect(await again()).toMatchObject({ code: 'bot_exists', ...place, pending: true, detail });
      expect((await other.get('/api/bots/patient-bot')).status).toBe(404);
      const before = (await other.get<DirectoryEvent[]>('/api/events')).body;
      expect(before.map(({ data }) => data.slug)).not.toContain('patient-bot');

      await operator.run('restore', 'patient-bot');
      const [newest] = (await other.get<Bot[]>('/api/bots')).body;
      expect((await one.get<Bot[]>('/api/bots')).body[0]?.slug).toBe('patient-bot');
      expect(newest?.slug).toBe('patient-bot');
      expect(await again()).toEqual(expect.not.objectContaining({ pending: expect.anything() as unknown }));
      const created = (await other.get<DirectoryEvent[]>('/api/events')).body.at(-1);
      expect(created).toMatchObject({ type: 'bot.created', created_at: newest?.created_at, data: newest });
    } finally {
      await careful.stop();
    }
  });

  it('that were removed while they waited are never published', async () => {
    const careful = await startService({
      redis: one.redis,
      provider: one.provider,
      settings: { APPROVE_FIRST: 'true' },
    });
    try {
      await submit(careful, { name: 'Second Thoughts' });
      await operator.run('remove', 'second-thoughts', '--reason', 'A mistake.');
      await submit(one, { name: 'Meanwhile' });
      expect(await operator.run('restore', 'second-thoughts')).toMatchObject({ count: 0 });
      expect((await one.get<Bot[]>('/api/bots')).body[0]?.slug).toBe('meanwhile');
      const events = (await other.get<DirectoryEvent[]>('/api/events')).body;
      expect(JSON.stringify(events)).not.toContain('Second Thoughts');
    } finally {
      await careful.stop();
    }
  });
});
