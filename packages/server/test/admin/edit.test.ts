/** What an operator corrects shows at once in every process, with an event and one line in the audit log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits, type Bot, type BotDetails, type DirectoryEvent } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';

let one: Service;
let other: Service;
let operator: ReturnType<typeof operatorOf>;
let offsetMs = 0;
beforeAll(async () => {
  const world = { offsetMs: () => offsetMs };
  one = await startService({ world });
  other = await startService({ redis: one.redis, provider: one.provider, world, settings: { BASE_URL: one.url } });
  operator = operatorOf(one.redis?.url ?? '', one.url);
});
afterAll(async () => {
  await other.stop();
  await one.stop();
});

const bot = async (slug: string): Promise<Bot> => {
  const {
    template_url: _template,
    updated_at: _updated,
    ...shown
  } = (await other.get<BotDetails>(`/api/bots/${slug}`)).body;
  return shown;
};
const updates = async (slug: string) =>
  (await other.get<DirectoryEvent[]>('/api/events')).body.filter(
    ({ type, data }) => type === 'bot.updated' && data.slug === slug,
  );
const audited = async () =>
  (await operator.run<{ action: string; bots: string[] }[]>('audit')).filter(({ action }) => action === 'edit');

describe('an edit', () => {
  it('changes what it names and nothing else, in every process, as one event and one line', async () => {
    const slug = await one.publish('Wrong', { categories: ['SEO'], author: '@eve', integrations: ['zoom', 'gmail'] });
    const before = await bot(slug);
    const words = [
      '--category',
      'finance',
      '--category',
      'Sales',
      '--author',
      'ada',
      '--integration',
      '+Google Sheets',
    ];
    const post = 'https://x.com/ada/status/12';
    const result = await operator.run('edit', slug, ...words, '--integration', '-zoom', '--source-url', post);
    expect(result).toEqual({ slug, changed: ['categories', 'author', 'source_url', 'integrations'] });
    const now = {
      ...before,
      author: '@ada',
      source_url: post,
      categories: ['Finance', 'Sales'],
      integrations: ['gmail', 'google-sheets'],
    };
    expect(await bot(slug)).toEqual(now);
    expect((await other.get<Bot[]>('/api/bots?category=Finance&author=ada')).body).toEqual([now]);
    expect((await updates(slug)).map(({ data }) => data)).toEqual([now]);
    expect((await audited()).map(({ bots }) => bots)).toEqual([[slug]]);
  });

  it('removes what an empty value names, and changes nothing where nothing differs', async () => {
    const slug = await one.publish('Emptied', { categories: ['SEO'], author: '@eve' });
    await operator.run('edit', slug, '--author', '', '--category', '');
    expect(await bot(slug)).toMatchObject({ author: null, categories: [] });
    const lines = (await audited()).length;
    expect(await operator.run('edit', slug, '--author', '')).toEqual({ slug, changed: [] });
    expect([(await audited()).length, (await updates(slug)).length]).toEqual([lines, 1]);
  });

  it('of a hidden bot is no event, and shows when the bot is back', async () => {
    const slug = await one.publish('Hidden and wrong');
    await operator.run('hide', slug);
    await operator.run('edit', slug, '--author', '@ada');
    expect(await updates(slug)).toEqual([]);
    await operator.run('restore', slug);
    expect((await bot(slug)).author).toBe('@ada');
  });

  it('keeps an integration through a refresh that no longer finds it', async () => {
    const id = one.provider.template({ name: 'Kept', integrations: ['slack', 'zoom'] });
    const { body } = await one.post<{ slug: string }>('/api/bots/submit', { link: one.link(id) });
    await operator.run('edit', body.slug, '--integration', '+slack');
    one.provider.template({ name: 'Kept' }, id);
    offsetMs += limits.refreshSec * 1_000;
    await one.post(`/api/bots/${body.slug}/refresh`, {});
    expect((await bot(body.slug)).integrations).toEqual(['slack']);
  });

  it.each([
    ['no category', ['--category', 'Nonsense']],
    ['too many categories', ['SEO', 'Sales', 'Finance', 'Design'].flatMap((name) => ['--category', name])],
    ['no handle', ['--author', 'not a handle']],
    ['no post', ['--source-url', 'https://example.com/']],
    ['no change of an integration', ['--integration', 'slack']],
  ])('with %s changes nothing', async (_what, words) => {
    const slug = await one.publish('Unchanged');
    const before = await bot(slug);
    expect((await operator.attempt('edit', slug, '--author', '@ada', ...words)).code).toBe(1);
    expect(await bot(slug)).toEqual(before);
  });

  it('of a slug that no bot has is an error', async () => {
    expect((await operator.attempt('edit', 'no-such-bot', '--author', '@ada')).code).toBe(1);
  });
});
