import { describe, expect, it } from 'vitest';
import type { Bot, DirectoryEvent, Problem, Published } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() => startService({ settings: { WRITE_RATE_LIMIT: '600/1m' } }));

const submit = <Body = Published>(page: object | null, fields: object) =>
  service.post<Body>('/api/bots/submit', {
    link: service.link(page === null ? 'none' : service.provider.template(page)),
    ...fields,
  });

describe('a dry run', () => {
  it('returns the bot that is published next, and publishes nothing', async () => {
    await submit({ name: 'Dry' }, {});
    const before = [await service.get('/api/bots'), await service.get('/api/events')].map(({ body }) => body);
    const link = service.link(service.provider.template({ name: 'Dry', description: 'Runs.', integrations: ['Zoom'] }));
    const fields = { link, author: 'ada', categories: ['seo'] };
    const dry = await service.post<Published>('/api/bots/submit', { ...fields, dry_run: true });
    expect(dry.status).toBe(200);
    expect(dry.body).toMatchObject({ slug: 'dry-2', url: '/bots/dry-2' });
    expect([await service.get('/api/bots'), await service.get('/api/events')].map(({ body }) => body)).toEqual(before);

    const published = await service.post<Published>('/api/bots/submit', { ...fields, dry_run: false });
    expect(published.body).toEqual({ slug: 'dry-2', url: '/bots/dry-2' });
    const [listed] = (await service.get<Bot[]>('/api/bots')).body;
    const { id, created_at, ...bot } = listed as Bot;
    expect(id).toMatch(/^bot_/);
    expect(dry.body.preview).toEqual({ ...bot, created_at: dry.body.preview?.created_at });
    expect(dry.body.preview && dry.body.preview.created_at <= created_at).toBe(true);
    const events = (await service.get<DirectoryEvent[]>('/api/events')).body;
    expect(events.filter(({ data }) => data.slug === 'dry-2')).toHaveLength(1);
  });

  it('says the same to an agent', async () => {
    const sent = { link: service.link(service.provider.template({ name: 'Agent' })), dry_run: true };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'submit_bot', arguments: sent } };
    const { body } = await service.post<{ result: { structuredContent: Published } }>('/mcp', call);
    const { preview, ...place } = (await service.post<Published>('/api/bots/submit', sent)).body;
    expect(body.result.structuredContent).toMatchObject({
      ...place,
      preview: { ...preview, created_at: expect.any(String) as string },
    });
  });

  it('names the next free slug as publishing does', async () => {
    const free = async () => (await submit({ name: 'Many' }, { dry_run: true })).body.slug;
    expect(await free()).toBe('many');
    for (const slug of ['many', 'many-2', 'many-3']) {
      expect(await free()).toBe(slug);
      expect((await submit({ name: 'Many' }, {})).body.slug).toBe(slug);
    }
    await submit({ name: 'Many 4' }, {});
    expect(await free()).toBe('many-5');
  });

  it('refuses what a submission refuses', async () => {
    const id = service.provider.template({ name: 'Known' });
    await service.post('/api/bots/submit', { link: service.link(id) });
    const known = await service.post<Problem>('/api/bots/submit', { link: service.link(id), dry_run: true });
    expect([known.status, known.body.code, known.body.slug]).toEqual([409, 'bot_exists', 'known']);
    expect((await submit<Problem>(null, { dry_run: true })).body.code).toBe('template_not_found');
    const wrong = await submit<Problem>({ name: 'Wrong' }, { dry_run: 'yes', categories: ['None such'] });
    expect(wrong.body.errors?.map(({ pointer }) => pointer)).toEqual(['/categories/0', '/dry_run']);
  });

  it('counts for the rate limit', async () => {
    const left = async () => {
      const { headers } = await submit({ name: 'Limited' }, { dry_run: true });
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    };
    const first = await left();
    expect(await left()).toBe(first - 1);
  });

  it('says that submissions are closed or that a block matches', async () => {
    const operator = operatorOf(service.redis?.url ?? '', service.url);
    await operator.run('block', 'words', 'casino');
    const refused = await submit<Problem>({ name: 'Casino' }, { dry_run: true });
    expect([refused.status, refused.body.code]).toEqual([400, 'submission_blocked']);
    await operator.run('submissions', 'off');
    expect((await submit<Problem>({ name: 'Any' }, { dry_run: true })).body.code).toBe('submissions_closed');
    await operator.run('submissions', 'on');
  });
});
