import { describe, expect, it } from 'vitest';
import type { Post } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() =>
  startService({
    settings: { SOCIAL_HOST: 'social.example.com', SOCIAL_HOST_ALIASES: 'old.example.net' },
  }),
);

describe('adding a post', () => {
  it.each([
    ['https://social.example.com/jo/status/1', 'https://social.example.com/jo/status/1'],
    ['https://www.social.example.com/jo/status/2/', 'https://social.example.com/jo/status/2'],
    ['https://mobile.social.example.com/jo/status/3?s=20', 'https://social.example.com/jo/status/3'],
    ['https://old.example.net/jo/status/4#top', 'https://social.example.com/jo/status/4'],
    ['https://SOCIAL.example.com/jo/status/5/photo/1', 'https://social.example.com/jo/status/5'],
  ])('saves %s as %s', async (url, canonical) => {
    const answer = await service.post<Post>('/api/feed', { url });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id: expect.stringMatching(/^post_[0-9A-Z]{26}$/) as string, url: canonical });
    expect((await service.get<Post[]>('/api/feed')).body[0]).toEqual(answer.body);
  });

  it('gives one 200 to 50 concurrent posts of one status, whatever handle they spell', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        service.post<Post>('/api/feed', { url: `https://social.example.com/user${i % 3}/status/777` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });
});
