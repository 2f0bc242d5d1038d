import { describe, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

describe('submitting a bot', () => {
  it('names the bot that is there already, without asking the provider again', async () => {
    const link = service.link(service.provider.template({ name: 'There' }));
    await service.post('/api/bots/submit', { link });
    const asked = service.provider.requests.length;
    const answer = await service.post<Problem>('/api/bots/submit', { link });
    expect(answer.status).toBe(409);
    const { created_at } = (await service.get<Bot>('/api/bots/there')).body;
    expect(answer.body).toMatchObject({ code: 'bot_exists', slug: 'there', url: '/bots/there', created_at });
    expect(service.provider.requests).toHaveLength(asked);
  });

  it('gives one 200 and 49 409s to 50 concurrent submits of one template', async () => {
    const link = service.link(service.provider.template({ name: 'Racing' }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => service.post<Problem>('/api/bots/submit', { link })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(new Set(answers.map(({ body }) => body.slug))).toEqual(new Set(['racing']));
    expect((await service.get<Bot[]>('/api/bots')).body.filter(({ name }) => name === 'Racing')).toHaveLength(1);
  });

  it('gives 50 concurrent bots of one name 50 slugs', async () => {
    const slugs = await Promise.all(Array.from({ length: 50 }, () => service.publish('Same Name')));
    expect(new Set(slugs)).toEqual(
      new Set(['same-name', ...Array.from({ length: 49 }, (_, i) => `same-name-${i + 2}`)]),
    );
  });
});
