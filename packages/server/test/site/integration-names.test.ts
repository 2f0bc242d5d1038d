/** Integrations are named as people write them; the API has their slugs. */
import { beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startSite } from '@bot-directory/testing/site';
import { useStarted } from '@bot-directory/testing/use-started';

const site = useStarted(() => startSite({ settings: { INTEGRATION_NAMES: 'ACME chat' } }));
let slug: string;
beforeAll(async () => {
  slug = await site.publish('First', { integrations: ['BeeDB', 'GITHUB', 'Acme Chat'] });
  await site.publish('Second', { integrations: ['beeDB', 'slack'] });
});

const textOf = async (path: string): Promise<string> => (await (await site.html(path)).text()).replace(/<[^>]*>/g, '|');

it.each(['/', '/integrations', '/integrations/beedb', '/bots/first', '/bots/second'])(
  '%s has the name that came first',
  async (path) => {
    expect(await textOf(path)).toContain('BeeDB');
    expect(await textOf(path)).not.toContain('beeDB');
  },
);

it('prefers the operator’s name, then the usual one', async () => {
  for (const name of ['ACME chat', 'GitHub']) expect(await textOf('/integrations')).toContain(`|${name}|`);
});

it('keeps slugs in the API', async () => {
  const { body } = await site.get<Bot>(`/api/bots/${slug}`);
  expect(body.integrations).toEqual(['beedb', 'github', 'acme-chat']);
  const merged = await site.post(`/api/bots/${slug}/integrations`, { integrations: ['HiveDB', 'hivedb', 'BEEDB'] });
  expect(merged.body).toMatchObject({ integrations: ['beedb', 'github', 'acme-chat', 'hivedb'] });
  expect(await textOf(`/bots/${slug}`)).toContain('|HiveDB|');
});

it('shows in a preview what the page will have, also of what the provider names', async () => {
  const template = site.provider.template({ name: 'Third', connectors: [{ slug: 'qr-maker', name: 'QR Maker' }] });
  const sent = [
    ['link', site.link(template)],
    ['step', 'preview'],
  ] as [string, string][];
  const preview = await (await site.send('/submit', sent)).text();
  expect(preview.match(/QR Maker/g)).toHaveLength(2);
  const found = [...preview.matchAll(/name="found(?:_for)?" value="([^"]*)"/g)].map(([, value = '']) => value);
  const published = await site.send('/submit', [
    ['link', site.link(template)],
    ['found_for', site.link(template)],
    ...found.filter((value) => value === 'qr-maker').map((value): [string, string] => ['found', value]),
  ]);
  expect(await textOf(published.headers.get('location')?.split('#')[0] ?? '')).toContain('|QR Maker|');
});

it('changes the page of another bot when the bot that came first is gone', async () => {
  const before = await site.html('/bots/second');
  await operatorOf(site.redis?.url ?? '', site.url).run('remove', slug, '--reason', 'Spam.');
  const after = await site.html('/bots/second');
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  expect(await after.text()).toContain('beeDB');
});
