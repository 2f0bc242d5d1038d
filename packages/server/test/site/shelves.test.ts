/** The home page above its list: each bot at most once, and nothing while the list is short. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { startSite, type SiteUnderTest } from '@bot-directory/testing/site';

let site: SiteUnderTest;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.stop());

/** The shelves by their headlines, each with the names of its cards. */
const shelves = async (): Promise<Record<string, string[]>> => {
  const page = await (await site.html('/')).text();
  const above = page.slice(page.indexOf('id="found"'), page.indexOf('id="results"'));
  return Object.fromEntries(
    above
      .split('<section>')
      .slice(1)
      .map((section) => [
        /<h2>([^<]*)/.exec(section)?.[1] ?? '',
        [...section.matchAll(/class="card-name"><a[^>]*>([^<]*)/g)].map(([, name = '']) => name),
      ]),
  );
};

it('has shelves once there are twelve bots, with each bot on the first that wants it', async () => {
  for (let i = 0; i < 11; i += 1) await site.publish(`Bot ${i}`, { categories: i < 5 ? ['SEO', 'Design'] : ['SEO'] });
  expect(await shelves()).toEqual({});
  await site.publish('Bot 11');
  expect(await shelves()).toEqual({ Categories: ['SEO', 'Design'], New: [11, 10, 9, 8, 7, 6].map((i) => `Bot ${i}`) });
  for (const i of [11, 3, 4, 5]) await site.install(`bot-${i}`);
  const trending = async () => (await shelves())['Trending this week'] ?? [];
  await until('the installs are counted', async () => (await trending()).length === 4);
  expect((await trending()).sort()).toEqual(['Bot 11', 'Bot 3', 'Bot 4', 'Bot 5']);
  // What is most installed is trending already, and is not shown twice.
  expect(await shelves()).not.toHaveProperty('Most installed');
  expect((await shelves())['New']).toEqual([10, 9, 8, 7, 6, 2].map((i) => `Bot ${i}`));
});

it('has none on a page of results', async () => {
  expect(await (await site.html('/?q=bot')).text()).not.toContain('class="stack shelves"');
});
