import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

describe('adding a post', () => {
  it.each([
    'https://example.com/jo/status/1',
    'https://x.com/jo/status/',
    'https://x.com/jo/status/12a',
    'https://x.com/jo',
    'https://x.com/with-dash/status/1',
    `https://x.com/${'h'.repeat(31)}/status/1`,
    'https://user@x.com/jo/status/1',
    'https://x.com:444/jo/status/1',
    'javascript:alert(1)',
    '',
  ])('refuses %j', async (url) => {
    const answer = await service.post<Problem>('/api/feed', { url });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(['/url']);
  });

  it.each([{}, { url: null }, { url: ['https://x.com/jo/status/1'] }])('refuses %j', async (body) => {
    expect((await service.post('/api/feed', body)).status).toBe(400);
  });
});
