/**
 * What can be taken for a filter, a page or an order is refused by every list of the API that lacks it: ignored, it
 * would pass the whole for a part. What others add to an address is ignored.
 */
import { describe, expect, it } from 'vitest';
import { contract, foreignBotNames, limits, type Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() => startService());
const lists = ['listBots', 'countFacets', 'listPosts', 'listCategories', 'listIntegrations', 'listEvents'] as const;
const namesOf = (list: (typeof lists)[number]): string[] => {
  const route = contract[list];
  return 'query' in route ? Object.keys(route.query.shape) : [];
};

describe.each(lists)('%s', (list) => {
  const { path } = contract[list];

  it('refuses every such name that it lacks', async () => {
    const own = namesOf(list);
    const foreign = [...foreignBotNames.keys()].filter((name) => !own.includes(name));
    expect(foreign.length).toBeGreaterThan(200);
    const refused: string[] = [];
    for (let i = 0; i < foreign.length; i += limits.errorsNamed) {
      const names = foreign.slice(i, i + limits.errorsNamed);
      const search = names.map((name) => `${name}=x`).join('&');
      const { status, body } = await service.get<Problem>(`${path}?${search}`);
      expect(status).toBe(400);
      refused.push(...(body.errors ?? []).map(({ pointer }) => pointer.slice(1)));
    }
    expect(refused).toEqual(foreign);
  });

  it('refuses each of ours in brackets, and in another spelling', async () => {
    for (const name of ['integration[a]', 'category[x]', 'limit[eq]', 'sort[installs]', 'Include', 'includes']) {
      const { status, body } = await service.get<Problem>(`${path}?${name}=x`);
      expect([status, body.errors?.map(({ pointer }) => pointer)], name).toEqual([400, [`?${name}`]]);
    }
  });

  it('ignores what others add to an address', async () => {
    expect((await service.get(`${path}?utm_source=x&fbclid=y&isappinstalled=0&utm[source]=x`)).status).toBe(200);
  });
});

it.each([
  ['/api/integrations?page=2', 'it has none'],
  ['/api/categories?limit=2', 'it has none'],
  ['/api/feed?author=ada', '`limit`, `cursor`'],
  ['/api/events?slug=x', '/api/bots/{slug}'],
  ['/api/bots?p=2', 'use `limit` and `cursor`'],
  ['/api/bots?Category=SEO', 'use `category`'],
  ['/api/bots?template=x', 'use `link`'],
  ['/api/bots?integration[a]=slack', 'use `integration`'],
  ['/api/bots?integration[][]=slack', 'use `integration`'],
  ['/api/bots?includes=updated_at', 'use `include`'],
  ['/api/events?Include=updated_at', 'use `include`'],
  ['/api/events?type[a]=bot.created', 'use `type`'],
  ['/api/bots/facets?include=updated_at', 'it has `category`'],
  ['/api/feed?include=updated_at', 'it has `limit`, `cursor`'],
])('%s says what to send instead', async (path, words) => {
  const { body } = await service.get<Problem>(path);
  expect(body.errors?.[0]?.detail).toContain(words);
});
