import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

describe('submitting a bot', () => {
  it.each([404, 410])('answers template_not_found when the provider answers %i', async (status) => {
    const id = service.provider.template((_req, res) => res.writeHead(status).end());
    const answer = await service.post<Problem>('/api/bots/submit', { link: service.link(id) });
    expect([answer.status, answer.body.code]).toEqual([404, 'template_not_found']);
    expect((await service.get('/api/bots')).body).toEqual([]);
  });
});
