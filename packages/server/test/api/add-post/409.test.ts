import { describe, expect, it } from 'vitest';
import type { Post, Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

describe('adding a post', () => {
  it('names the post that is there, whatever handle the URL spells', async () => {
    const first = await service.post<Post>('/api/feed', { url: 'https://x.com/jo/status/42' });
    const again = await service.post<Problem>('/api/feed', { url: 'https://www.x.com/someone_else/status/42?x=1' });
    expect([again.status, again.body.code]).toEqual([409, 'post_exists']);
    expect(again.body).toMatchObject(first.body);
  });
});
