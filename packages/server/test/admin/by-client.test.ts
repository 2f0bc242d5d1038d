/** The operator tells clients apart by marks, which name nobody: finds what one sent, removes it, and blocks it. */
import { beforeAll, expect, it } from 'vitest';
import { mcpPath, writeRoutes } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

type Row = { readonly slug: string; readonly client: string };

let operator: ReturnType<typeof operatorOf>;
const test = useStarted(() => startDelivery({ settings: { TRUST_PROXY: 'loopback', WRITE_RATE_LIMIT: '600/1m' } }));
const from = (address: string, path: string, body: object) =>
  test.api<{ slug: string; code: string }>('POST', path, { body, headers: { 'X-Forwarded-For': address } });
const submit = (address: string, name: string) =>
  from(address, '/api/bots/submit', { link: test.link(test.provider.template({ name })) });
const bots = (...words: string[]) => operator.run<Row[]>('bots', ...words);

beforeAll(async () => {
  operator = operatorOf(test.redis?.url ?? '', test.url);
  for (const [i, address] of ['203.0.113.1', '203.0.113.1', '198.51.100.1'].entries()) {
    await submit(address, `Bot ${i}`);
    await from(address, '/api/feed', { url: `https://x.com/ada/status/${i + 1}` });
    await from(address, '/api/webhooks/bots', { url: test.receiver.url(`/${i}`) });
  }
  await from('203.0.113.1', '/api/bots/bot-2/reports', { reason: 'spam' });
});

it('lists bots with the newest first, each with the mark of its client, as posts, webhooks and reports have it', async () => {
  const [newest, second, first] = await bots();
  expect([newest?.slug, second?.slug, first?.slug]).toEqual(['bot-2', 'bot-1', 'bot-0']);
  expect(first?.client).toMatch(/^[\w-]{22}$/);
  expect([second?.client, newest?.client === first?.client]).toEqual([first?.client, false]);
  const mark = first?.client.slice(0, 8) ?? '';
  expect((await bots('--client', mark)).map(({ slug }) => slug)).toEqual(['bot-1', 'bot-0']);
  for (const [list, count] of [
    ['posts', 2],
    ['webhooks', 2],
    ['reports', 1],
  ] as const)
    expect([list, await operator.run<Row[]>(list, '--client', mark)]).toEqual([
      list,
      Array.from({ length: count }, () => expect.objectContaining({ client: first?.client })),
    ]);
  expect(JSON.stringify((await test.get('/api/bots?include=template_url')).body)).not.toContain(mark);
});

it('shows one bot whole', async () => {
  const { output } = await operator.attempt('bots', 'bot-0');
  const [bot] = await bots('bot-0');
  for (const field of Object.keys(bot ?? {})) expect(output).toMatch(new RegExp(`│ ${field} +│`));
  expect(output).toContain(bot?.client);
  expect(bot).toMatchObject({ link: expect.stringMatching(/^https:.*\/bot\//), id: expect.stringMatching(/^bot_/) });
});

it('blocks a client for a time, at every door, and no other', async () => {
  const mark = (await bots('bot-0'))[0]?.client ?? '';
  expect(await operator.attempt('block', 'client', mark.slice(0, 8))).toMatchObject({ code: 1 });
  await operator.run('block', 'client', mark, '--for', '2h', '--reason', 'Floods.');
  const [block] = await operator.run<{ at: string; until: string }[]>('block');
  expect(Date.parse(block?.until ?? '') - Date.parse(block?.at ?? '')).toBe(7_200_000);
  const toBlocked = { 'X-Forwarded-For': '203.0.113.1', Origin: test.url };
  const tool = { name: 'submit_bot', arguments: { link: test.link(test.provider.template({ name: 'By MCP' })) } };
  for (const { path, method } of [...Object.values(writeRoutes), { path: mcpPath, method: 'POST' as const }]) {
    const body = path === mcpPath ? { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool } : {};
    const answer = await test.api<{ code: string }>(method, path.replace(':slug', 'bot-2'), {
      body,
      headers: toBlocked,
    });
    expect([path, answer.status, answer.body.code]).toEqual([path, 429, 'rate_limited']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(7_000);
  }
  const bot = '/bots/bot-2';
  for (const path of ['/submit', '/feed', '/feed/reports', '/webhooks', `${bot}/reports`, `${bot}/integrations`]) {
    const form = { method: 'POST', headers: toBlocked, body: new URLSearchParams({ action: 'register' }) };
    expect([path, (await fetch(test.url + path, form)).status]).toEqual([path, 429]);
  }
  expect((await submit('198.51.100.1', 'Accepted')).status).toBe(200);
  await operator.run('unblock', 'client', mark);
  expect((await submit('203.0.113.1', 'Accepted again')).status).toBe(200);
  await operator.run('block', 'client', mark, '--for', '1ms');
  // A process knows the store's clock as of a reply, so that it may be late by as long as that took.
  await until('the block has ended', async () => (await submit('203.0.113.1', 'Accepted after')).status === 200);
});

it('removes what a client sent, and forgets its mark', async () => {
  const mark = (await bots('bot-0'))[0]?.client ?? '';
  await operator.run('remove', '--client', mark, '--reason', 'Spam.');
  await operator.run('posts', 'remove', '--client', mark, '--reason', 'Spam.');
  expect(await operator.run('webhooks', 'remove', '--client', mark)).toEqual({ removed: 2 });
  for (const list of ['bots', 'posts', 'webhooks']) expect(await operator.run(list, '--client', mark)).toEqual([]);
  expect((await test.get('/api/bots/bot-2')).status).toBe(200);
  expect(await operator.run('check')).toEqual([]);
});

it('blocks a template by its link', async () => {
  const template = test.provider.template({ name: 'By link' });
  await operator.run('block', 'template', test.link(template));
  const { body } = await test.post<{ code: string }>('/api/bots/submit', { link: test.link(template) });
  expect(body.code).toBe('submission_blocked');
});
