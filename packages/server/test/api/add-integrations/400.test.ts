import { beforeAll, describe, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

let slug: string;
const service = useStarted(startService);
beforeAll(async () => {
  slug = await service.publish('A bot', { integrations: Array.from({ length: 23 }, (_, i) => `tool-${i}`) });
});

describe('adding integrations to a bot', () => {
  it('refuses a merge beyond 24, and adds none of it', async () => {
    const answer = await service.post<Problem>(`/api/bots/${slug}/integrations`, { integrations: ['one', 'two'] });
    expect([answer.status, answer.body.code]).toEqual([400, 'too_many_integrations']);
    expect((await service.get<Bot>(`/api/bots/${slug}`)).body.integrations).toHaveLength(23);
  });

  it.each([
    [{}, ['/integrations']],
    [{ integrations: null }, ['/integrations']],
    [{ integrations: 'slack' }, ['/integrations']],
    [{ integrations: [1, 'ok', ''] }, ['/integrations/0', '/integrations/2']],
  ])('refuses %j', async (body, pointers) => {
    const answer = await service.post<Problem>(`/api/bots/${slug}/integrations`, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('is a 400 for bad input even where there is no such bot', async () => {
    expect((await service.post('/api/bots/none/integrations', {})).status).toBe(400);
  });
});
