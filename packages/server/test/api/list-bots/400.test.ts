import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

describe('the list of bots', () => {
  it.each([
    ['limit=0', ['?limit']],
    ['limit=201', ['?limit']],
    ['limit=-1', ['?limit']],
    ['limit=1.5', ['?limit']],
    ['limit=', ['?limit']],
    ['limit=ten', ['?limit']],
    ['limit=1&limit=2', ['?limit']],
    ['cursor=nonsense', ['?cursor']],
    ['cursor=', ['?cursor']],
    ['sort=oldest', ['?sort']],
    ['category=Nope', ['?category']],
    ['category=SEO&category=Nope', ['?category']],
    ['integration=', ['?integration']],
    ['author=%20', ['?author']],
    [`q=${'x'.repeat(201)}`, ['?q']],
    ['q=%2B%2B', ['?q']],
    ['page=2', ['?page']],
    ['offset=20&per_page=10', ['?offset', '?per_page']],
    ['pageSize=10&page%5Bnumber%5D=2', ['?pageSize', '?page[number]']],
    ['starting_after=bot_1&PAGE=2&$top=5', ['?$top', '?PAGE', '?starting_after']],
    ['after=evt_1', ['?after']],
    ['Limit=5', ['?Limit']],
    ['categories=SEO&integrations=slack', ['?categories', '?integrations']],
    ['Category=SEO&Q=seo&SORT=installs', ['?Category', '?Q', '?SORT']],
    ['query=seo&search=seo&order=asc&since=2026-01-01', ['?order', '?query', '?search', '?since']],
    ['filter%5Bcategory%5D=SEO&updatedSince=2026-01-01&slug=one', ['?filter[category]', '?slug', '?updatedSince']],
    ['updated_since=2026-01-01', ['?updated_since']],
    ['updated_since=2026-01-01T00:00:00', ['?updated_since']],
    ['updated_since=2026-13-01T00:00:00Z', ['?updated_since']],
    ['updated_since=2026-01-01T00:00:00+02:00', ['?updated_since']],
    ['updated_since=2026-02-30T00:00:00Z', ['?updated_since']],
    ['updated_since=2025-02-29T00:00:00%2B02:00', ['?updated_since']],
    ['updated_since=Mon,%2030%20Feb%202026%2000:00:00%20GMT', ['?updated_since']],
    ['updated_since=', ['?updated_since']],
    ['integration=slack,gmail', ['?integration']],
    ['category%5B%5D=Nope&limit%5B0%5D=0', ['?category', '?limit']],
    ['limit=0&sort=x&page=1', ['?limit', '?page', '?sort']],
  ])('refuses ?%s', async (query, pointers) => {
    const answer = await service.get<Problem>(`/api/bots?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors?.map(({ pointer }) => pointer).sort()).toEqual(pointers);
  });

  it.each([
    ['categories=SEO', '`category`'],
    ['Integration=slack', '`integration`'],
    ['search=seo', '`q`'],
    ['order_by=installs', '`sort`'],
    ['modified_since=2026-01-01T00:00:00Z', '`updated_since`'],
    ['since=2026-01-01T00:00:00Z', '`updated_since`, or `/api/events?after=`'],
    ['per_page=10', '`limit` and `cursor`'],
    ['count=10', '`limit` and `cursor`'],
    ['rows=10&start=20', '`limit` and `cursor`'],
    ['$top=10', '`limit` and `cursor`'],
    ['pagination_token=x', '`limit` and `cursor`'],
    ['since_id=1', '`limit` and `cursor`'],
    ['page_info=x', '`limit` and `cursor`'],
    ['continuation-token=x', '`limit` and `cursor`'],
    ['hitsPerPage=10', '`limit` and `cursor`'],
    ['startAt=10&maxResults=5', '`limit` and `cursor`'],
    ['start_cursor=x', '`limit` and `cursor`'],
    ['MaxItems=10', '`limit` and `cursor`'],
    ['pagelen=10', '`limit` and `cursor`'],
    ['search_after=x', '`limit` and `cursor`'],
    ['integration=slack,gmail', 'integration=slack&integration=gmail'],
  ])('says what to use instead of ?%s', async (query, ours) => {
    const { body } = await service.get<Problem>(`/api/bots?${query}`);
    expect(body.errors?.[0]?.detail).toContain(ours);
  });

  it('refuses the cursor of another sort', async () => {
    await service.publish('One');
    await service.publish('Two');
    const { headers } = await service.get('/api/bots?limit=1&sort=installs');
    const next = new URL(/<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '');
    expect((await service.get(`/api/bots?cursor=${next.searchParams.get('cursor') ?? ''}`)).status).toBe(400);
  });
});
