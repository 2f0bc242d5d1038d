import { beforeAll, describe, expect, it } from 'vitest';
import type { Post, Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);
beforeAll(async () => {
  for (let i = 1; i <= 7; i += 1) await service.post('/api/feed', { url: `https://x.com/jo/status/${i}` });
});

describe('the feed', () => {
  it('is every post, newest first', async () => {
    const answer = await service.get<Post[]>('/api/feed');
    expect(answer.body.map(({ url }) => url)).toEqual([7, 6, 5, 4, 3, 2, 1].map((i) => `https://x.com/jo/status/${i}`));
    expect(answer.headers.get('x-total-count')).toBe('7');
  });

  it('is paged as the bot list is', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/api/feed?limit=3';
    while (path !== undefined) {
      const answer: Awaited<ReturnType<typeof service.get<Post[]>>> = await service.get<Post[]>(path);
      seen.push(...answer.body.map(({ url }) => url));
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]?.slice(service.url.length);
    }
    expect(seen).toEqual((await service.get<Post[]>('/api/feed')).body.map(({ url }) => url));
  });

  it.each(['limit=0', 'cursor=x', 'page=1'])('refuses ?%s', async (query) => {
    const answer = await service.get<Problem>(`/api/feed?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });
});
