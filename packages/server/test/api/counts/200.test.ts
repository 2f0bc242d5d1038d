import { beforeAll, describe, expect, it } from 'vitest';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() => startService({ settings: { BOT_CATEGORIES: 'SEO, Marketing, Sales' } }));
beforeAll(async () => {
  await service.publish('One', { categories: ['seo', 'marketing'], integrations: ['Slack', 'Notion'] });
  await service.publish('Two', { categories: ['SEO'], integrations: ['slack', 'Airtable'] });
});

describe('counting', () => {
  it('covers every configured category', async () => {
    const answer = await service.get('/api/categories');
    expect(answer.body).toEqual([
      { name: 'SEO', count: 2 },
      { name: 'Marketing', count: 1 },
      { name: 'Sales', count: 0 },
    ]);
  });

  it('covers every integration in use, the most used first', async () => {
    const answer = await service.get('/api/integrations');
    expect(answer.body).toEqual([
      { slug: 'slack', count: 2 },
      { slug: 'airtable', count: 1 },
      { slug: 'notion', count: 1 },
    ]);
  });
});
