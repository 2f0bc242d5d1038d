import { beforeAll, describe, expect, it } from 'vitest';
import { startProcess } from '@bot-directory/testing/process';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);
beforeAll(async () => {
  await service.publish('A bot');
});

const plain = { 'Accept-Encoding': 'identity' };

describe('a conditional read', () => {
  it.each(['/api/bots', '/api/bots?limit=1', '/api/bots/a-bot', '/api/feed', '/api/categories', '/api/integrations'])(
    'of %s gets a 304 for its own ETag',
    async (path) => {
      const tag = (await service.get(path, plain)).headers.get('etag') ?? '';
      for (const match of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const answer = await service.get(path, { ...plain, 'If-None-Match': match });
        expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([304, '', tag]);
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(answer.headers.get('vary')).toBe(
          path.startsWith('/api/bots') && path !== '/api/bots/a-bot' ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
        );
      }
      expect((await service.get(path, { ...plain, 'If-None-Match': '"other"' })).status).toBe(200);
    },
  );

  it('may send a date instead of a tag', async () => {
    await until('a second has passed', async () => (await service.get('/api/bots')).headers.has('last-modified'));
    const date = (await service.get('/api/bots')).headers.get('last-modified') ?? '';
    expect((await service.get('/api/bots', { 'If-Modified-Since': date })).status).toBe(304);
    expect(
      (await service.get('/api/bots', { 'If-Modified-Since': new Date(Date.parse(date) - 1_000).toUTCString() }))
        .status,
    ).toBe(200);
    // Only an HTTP date counts, even where a lenient parser would read another text as a date in the future.
    for (const noDate of ['yesterday', '2099', '2099-01-01T00:00:00Z', '9999999999999'])
      expect((await service.get('/api/bots', { 'If-Modified-Since': noDate })).status).toBe(200);
    expect((await service.get('/api/bots', { 'If-Modified-Since': date, 'If-None-Match': '"other"' })).status).toBe(
      200,
    );
  });

  it('gets the list again after the next change', async () => {
    const tag = (await service.get('/api/bots', plain)).headers.get('etag') ?? '';
    await service.publish('Another');
    expect((await service.get('/api/bots', { ...plain, 'If-None-Match': tag })).status).toBe(200);
  });

  it('gets no date in the very second of a change, which the next change could share', async () => {
    let nowMs = Date.parse('2026-01-02T03:04:05.100Z');
    const timed = await startService({ world: { offsetMs: () => nowMs - Date.now() }, provider: service.provider });
    const dateOf = async (): Promise<string | null> => (await timed.get('/api/bots')).headers.get('last-modified');
    await timed.publish('One');
    nowMs += 200;
    expect(await dateOf()).toBeNull();
    expect((await timed.get('/api/bots', { 'If-Modified-Since': new Date(nowMs).toUTCString() })).status).toBe(200);
    nowMs += 1_000;
    expect(await dateOf()).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
    await timed.post('/api/bots/one/integrations', { integrations: ['slack'] });
    nowMs += 1_000;
    expect(await dateOf()).toBe('Fri, 02 Jan 2026 03:04:06 GMT');
    await timed.stop();
  });

  it('gets no date twice when the clock of the store goes back', async () => {
    const changedAtMs = Date.parse('2026-01-02T03:04:05.100Z');
    let nowMs = changedAtMs;
    const timed = await startService({ world: { offsetMs: () => nowMs - Date.now() }, provider: service.provider });
    const list = (since?: string) => timed.get('/api/bots', since === undefined ? {} : { 'If-Modified-Since': since });
    await timed.publish('One');
    nowMs += 2_000;
    const date = (await list()).headers.get('last-modified') ?? '';
    expect(date).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
    expect((await list(date)).status).toBe(304);
    nowMs = changedAtMs - 60_000;
    await timed.post('/api/bots/one/integrations', { integrations: ['slack'] });
    const { headers, status } = await list(date);
    expect([headers.get('last-modified'), status]).toEqual([null, 200]);
    nowMs = changedAtMs + 5_000;
    expect((await list(date)).status).toBe(200);
    expect((await list()).headers.get('last-modified')).toBe('Fri, 02 Jan 2026 03:04:06 GMT');
    await timed.stop();
  });

  it('gets the list by date, too, after a change through another process with another clock', async () => {
    const behind = await startProcess(service.environment, { wrongByMs: -5_000 });
    const dateOf = async (): Promise<string> => (await service.get('/api/bots')).headers.get('last-modified') ?? '';
    await service.publish('In time');
    await until('a second has passed', async () => (await dateOf()) !== '');
    const date = await dateOf();
    expect((await service.get('/api/bots', { 'If-Modified-Since': date })).status).toBe(304);
    const link = service.link(service.provider.template({ name: 'From behind' }));
    expect((await behind.post('/api/bots/submit', { link })).status).toBe(200);
    expect((await service.get('/api/bots', { 'If-Modified-Since': date })).status).toBe(200);
    await until('a second has passed', async () => (await dateOf()) !== '');
    for (const one of [service, behind])
      expect((await one.get('/api/bots', { 'If-Modified-Since': date })).status).toBe(200);
    await behind.stop();
  });
});
