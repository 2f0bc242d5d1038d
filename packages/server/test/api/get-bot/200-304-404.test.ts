import { describe, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

describe('reading a bot', () => {
  it('returns the element of the list, and two fields more', async () => {
    const slug = await service.publish('The one', { categories: ['SEO'] });
    const answer = await service.get<Bot>(`/api/bots/${slug}`);
    const [listed] = (await service.get<Bot[]>('/api/bots')).body;
    const template_url = expect.stringContaining('/bot/') as string;
    expect([answer.status, answer.body]).toEqual([200, { ...listed, updated_at: listed?.created_at, template_url }]);
  });

  it('gives it an ETag of its own', async () => {
    const before = await service.get('/api/bots/the-one');
    await service.publish('Another');
    expect((await service.get('/api/bots/the-one')).headers.get('etag')).toBe(before.headers.get('etag'));
    await service.post('/api/bots/the-one/integrations', { integrations: ['slack'] });
    expect((await service.get('/api/bots/the-one')).headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it.each(['none', 'THE-ONE', '__proto__', 'constructor', '%E0%A4%A', 'the-one%00'])(
    'is a 404 for the slug %s',
    async (slug) => {
      const answer = await service.get<Problem>(`/api/bots/${slug}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'bot_not_found']);
    },
  );
});
