import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

const service = useStarted(() => startService({ settings: { TRUST_PROXY: 'loopback' } }));

/** The header that a browser sends with a form of our own page. */
const ours: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' };

const install = (
  slug: string,
  { agent = 'browser', address = '203.0.113.1', method = 'POST', source = ours } = {},
): Promise<Response> =>
  fetch(`${service.url}/bots/${slug}/install`, {
    method,
    redirect: 'manual',
    headers: { 'User-Agent': agent, 'X-Forwarded-For': address, ...source },
  });
const countOf = async (slug: string): Promise<number> =>
  (await service.get<Bot>(`/api/bots/${slug}`)).body.install_count;

it('redirects to the template on a POST, and counts it', async () => {
  const id = service.provider.template({ name: 'Installable' }, 'inst');
  await service.post('/api/bots/submit', { link: service.link(id) });
  const page = await fetch(`${service.url}/bots/installable`).then((response) => response.text());
  expect(page).toContain('<form method="post" action="/bots/installable/install">');
  const answer = await install('installable');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://templates.example.com/bot/inst']);
  await until('it is counted', async () => (await countOf('installable')) === 1);
});

it('counts a visitor once per bot, and always redirects', async () => {
  for (let i = 0; i < 5; i += 1) expect((await install('installable')).status).toBe(303);
  await install('installable', { address: '203.0.113.2' });
  await install('installable', { address: '2001:db8::1' });
  await install('installable', { address: '2001:db8::2' });
  for (let i = 0; i < 20; i += 1)
    await install('installable', { agent: `browser ${i}`, address: `203.0.113.1:${5_000 + i}` });
  const other = await service.publish('Other');
  await install(other);
  await until('the other is counted', async () => (await countOf(other)) === 1);
  await until('all are counted', async () => (await countOf('installable')) === 3);
});

it.each<[string, Record<string, string>]>([
  ['a form on another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
  ['a form on a neighbour', { 'Sec-Fetch-Site': 'same-site' }],
  ['an old browser on another site', { Origin: 'https://evil.example' }],
  ['nobody that is known', {}],
])('redirects, but does not count, from %s', async (_what, source) => {
  const slug = await service.publish('Not chosen here');
  const answer = await install(slug, { source: source });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining('/bot/')]);
  await service.publish('Makes the count fresh as well');
  expect(await countOf(slug)).toBe(0);
});

it('counts a form of ours by its Origin where the browser sends nothing else', async () => {
  const slug = await service.publish('Old browser');
  await install(slug, { source: { Origin: service.url } });
  await until('it is counted', async () => (await countOf(slug)) === 1);
});

it('counts a visitor again whose last install was counted under a clock that was ahead', async () => {
  const slug = await service.publish('Ahead');
  await install(slug);
  const client = new Redis(service.redis?.url ?? '');
  for (const visitor of await client.zrange(keys.installs, 0, '-1'))
    await client.zadd(keys.installs, Date.now() + 31 * 86_400_000, visitor);
  client.disconnect();
  await install(slug);
  await install(slug);
  await until('both are counted', async () => (await countOf(slug)) === 2);
});

it('counts 50 concurrent visits of one visitor once', async () => {
  const slug = await service.publish('Clicked');
  await Promise.all(Array.from({ length: 50 }, () => install(slug)));
  await service.publish('Makes the count fresh');
  expect(await countOf(slug)).toBe(1);
});

it('counts neither a GET or HEAD of the install nor a view of the page', async () => {
  const slug = await service.publish('Read only');
  for (const method of ['GET', 'HEAD']) expect((await install(slug, { method })).status).toBe(405);
  await fetch(`${service.url}/bots/${slug}`);
  await service.publish('Makes the count fresh too');
  expect(await countOf(slug)).toBe(0);
});

it('keeps nothing of a visitor but a hash that expires, salted by the directory', async () => {
  const other = await startService({ settings: { TRUST_PROXY: 'loopback' } });
  const slug = await other.publish('Elsewhere');
  await fetch(`${other.url}/bots/${slug}/install`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': '203.0.113.1' },
  });
  const hashes = await Promise.all(
    [service, other].map(async ({ redis }) => {
      const client = new Redis(redis?.url ?? '');
      const visitors = await client.zrange(keys.installs, 0, '-1');
      expect(visitors.length).toBeGreaterThan(0);
      for (const visitor of visitors) expect(visitor).not.toMatch(/203\.0\.113|browser/);
      const ttl = await client.ttl(keys.installs);
      expect(ttl).toBeGreaterThan(86_000);
      expect(ttl).toBeLessThanOrEqual(86_400);
      client.disconnect();
      return visitors.map((visitor) => visitor.split(':').at(-1));
    }),
  );
  expect(hashes[0]).not.toContain(hashes[1]?.[0]);
  await other.stop();
});

it('answers an unknown bot with 404', async () => {
  expect((await fetch(`${service.url}/bots/none`)).status).toBe(404);
  expect((await install('none')).status).toBe(404);
});

it('leads to another origin, where the operator says so', async () => {
  const elsewhere = await startService({ settings: { INSTALL_ORIGIN: 'http://127.0.0.1:4000' } });
  const slug = await elsewhere.publish('Elsewhere');
  const page = await fetch(`${elsewhere.url}/bots/${slug}`, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:4000;");
  expect(await page.text()).toContain('Install opens the template at 127.0.0.1:4000.');
  const answer = await fetch(`${elsewhere.url}/bots/${slug}/install`, { method: 'POST', redirect: 'manual' });
  expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:4000\/bot\/[^/]+$/);
  await elsewhere.stop();
});
