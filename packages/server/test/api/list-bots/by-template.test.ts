/** The bot of a template: whether it is here is the first question of those who would submit it. */
import { expect, it } from 'vitest';
import { addressOf, type Bot, type Problem } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);
const submitted = async (name: string): Promise<{ link: string; slug: string }> => {
  const link = service.link(service.provider.template({ name }));
  const { body } = await service.post<{ slug: string }>('/api/bots/submit', { link });
  return { link, slug: body.slug };
};
const slugsOf = async (link: string, more = {}): Promise<string[]> =>
  (await service.get<Bot[]>(addressOf('/api/bots', { link, ...more }))).body.map(({ slug }) => slug);

it('is found by any spelling of its link, alone, with other filters, and by an agent', async () => {
  const { link, slug } = await submitted('Known');
  await submitted('Another');
  for (const spelling of [link, `${link}/`, `${link}?utm_source=x#top`, link.replace('https://', 'HTTPS://')])
    expect(await slugsOf(spelling)).toEqual([slug]);
  expect(await slugsOf(link, { q: 'known', limit: 1 })).toEqual([slug]);
  expect(await slugsOf(link, { q: 'another' })).toEqual([]);
  expect(await slugsOf(service.link('nobody-has-this'))).toEqual([]);
  const params = { name: 'search_bots', arguments: { link } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { body } = await service.post<{ result: { structuredContent: { bots: Bot[] } } }>('/mcp', call);
  expect(body.result.structuredContent.bots.map((bot) => bot.slug)).toEqual([slug]);
});

it('is not found while it is hidden, and found again, by another process too', async () => {
  const { link, slug } = await submitted('Hidden for now');
  const operator = operatorOf(service.redis?.url ?? '', service.url);
  await operator.attempt('--yes', 'hide', slug, '--reason', 'Checked.');
  expect(await slugsOf(link)).toEqual([]);
  await operator.attempt('--yes', 'restore', slug);
  expect(await slugsOf(link)).toEqual([slug]);
  const other = await startService({ redis: service.redis, provider: service.provider });
  const { body } = await other.get<Bot[]>(addressOf('/api/bots', { link }));
  expect(body.map((bot) => bot.slug)).toEqual([slug]);
  await other.stop();
});

it.each(['https://elsewhere.example/bot/x', 'x', ''])('%j is no link of a template', async (link) => {
  const { status, body } = await service.get<Problem>(`/api/bots?link=${encodeURIComponent(link)}`);
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, '?link']);
});
