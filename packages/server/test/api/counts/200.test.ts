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

type Counts = { readonly categories: { name: string; count: number }[]; readonly integrations: { slug: string }[] };
const facets = async (query: string) => {
  const { body } = await service.get<Counts>(`/api/bots/facets${query}`);
  const counts = Object.fromEntries(body.categories.map(({ name, count }) => [name, count]));
  return [counts, body.integrations.map(({ slug }) => slug)];
};

describe('counting within a filter', () => {
  it('covers every category, and the integrations of the selected bots', async () => {
    expect(await facets('')).toEqual([{ SEO: 2, Marketing: 1, Sales: 0 }, ['slack', 'airtable', 'notion']]);
    expect(await facets('?integration=Airtable')).toEqual([{ SEO: 1, Marketing: 0, Sales: 0 }, ['airtable', 'slack']]);
    expect(await facets('?q=one&integration=airtable')).toEqual([{ SEO: 0, Marketing: 0, Sales: 0 }, []]);
  });

  it('counts a category that another choice would find', async () => {
    const chosen = [{ SEO: 2, Marketing: 1, Sales: 0 }, ['notion', 'slack']];
    expect(await facets('?category=marketing')).toEqual(chosen);
    expect(await facets('?category=Marketing&category=Sales')).toEqual(chosen);
  });

  it('is a 304 until the directory changes', async () => {
    const headers = { 'If-None-Match': (await service.get('/api/bots/facets?q=tw')).headers.get('etag') ?? '' };
    const again = () => fetch(`${service.url}/api/bots/facets?q=tw`, { headers });
    expect((await again()).status).toBe(304);
    await service.publish('Facets', { categories: ['Sales'] });
    expect((await again()).status).toBe(200);
    expect((await service.get<{ slug: string }[]>('/api/bots?category=Sales')).body[0]?.slug).toBe('facets-bot');
  });
});
