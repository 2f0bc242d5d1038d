import { describe, expect, it } from 'vitest';
import type { Bot, MergedIntegrations } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

let slug: string;
const service = useStarted(startService);

const merge = (integrations: string[]) =>
  service.post<MergedIntegrations>(`/api/bots/${slug}/integrations`, { integrations });

describe('adding integrations to a bot', () => {
  it('adds names and slugs, keeps those that are there, and returns them all', async () => {
    slug = await service.publish('Merging', { integrations: ['Slack'] });
    const answer = await merge(['Google Sheets', 'SLACK', 'google-sheets']);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ slug, url: `/bots/${slug}`, integrations: ['slack', 'google-sheets'] });
    expect((await service.get<Bot>(`/api/bots/${slug}`)).body.integrations).toEqual(['slack', 'google-sheets']);
  });

  it('is in the very next list', async () => {
    await merge(['Notion']);
    expect((await service.get<Bot[]>('/api/bots')).body[0]?.integrations).toEqual(['slack', 'google-sheets', 'notion']);
  });

  it.each([[[]], [['slack', 'Slack']]])('leaves the bot unchanged for %j', async (integrations) => {
    const before = await service.get('/api/bots');
    expect((await merge(integrations)).body.integrations).toEqual(['slack', 'google-sheets', 'notion']);
    const after = await service.get('/api/bots');
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('takes the total to exactly 24, and duplicates on a full bot', async () => {
    slug = await service.publish('Full', { integrations: [] });
    const all = Array.from({ length: 24 }, (_, i) => `tool-${i}`);
    expect((await merge(all)).body.integrations).toEqual(all);
    expect((await merge(['tool-3', 'Tool 4'])).status).toBe(200);
  });

  it('stops 40 racing merges at exactly 24', async () => {
    slug = await service.publish('Raced', { integrations: [] });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => merge([`racer-${i}`])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(24);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(16);
    expect((await service.get<Bot>(`/api/bots/${slug}`)).body.integrations).toHaveLength(24);
  });
});
