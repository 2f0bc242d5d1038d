/** Processes on one store whose settings must be equal: one that would do harm is refused, with both values. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { runToEnd, startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const keyOf = (byte: number): string => `whsk_${Buffer.alloc(32, byte).toString('base64')}`;
const first = keyOf(1);
const second = keyOf(2);

let production: ServerProcess;
let settings: Record<string, string>;
const redis = useStarted(() => startTestRedis({ persist: true }));
beforeAll(async () => {
  settings = {
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    BASE_URL: 'https://directory.example.com',
    WEBHOOK_SIGNING_KEY: first,
    BOT_CATEGORIES: 'SEO,Sales',
  };
  production = await startProcess({ ...settings, ROLE: 'web' });
});
afterAll(async () => {
  await production.stop();
});

it.each([
  [{ BASE_URL: 'https://staging.example.com' }, /BASE_URL is https:\/\/staging\S+, .* it is https:\/\/directory\./],
  [{ TEMPLATE_HOST: 'other.example.com' }, /TEMPLATE_HOST is other\.example\.com, and in this store it is \S+:/],
  [
    { WEBHOOK_SIGNING_KEY: '', ROLE: 'worker' },
    /WEBHOOK_SIGNING_KEY is [\da-f]{16}, and in this store it is [\da-f]{16}/,
  ],
  [{ WEBHOOK_SIGNING_KEY: second, ROLE: 'worker' }, /WEBHOOK_SIGNING_KEY is/],
])('a process with %j is refused', async (other, why) => {
  const { code, output } = await runToEnd('main.js', { ...settings, HOST: '127.0.0.1', PORT: '0', ...other });
  expect([code, output]).toEqual([1, expect.stringMatching(why)]);
  expect(output).toContain('settings forget');
});

it('one with other categories is warned of, and so is none with the same settings', async () => {
  const same = await startProcess({ ...settings, ROLE: 'worker' });
  const other = await startProcess({ ...settings, BOT_CATEGORIES: 'SEO' });
  expect(same.output()).not.toContain('had another setting');
  expect(other.output()).toMatch(/"level":"warn".*"setting":"BOT_CATEGORIES","before":"SEO,Sales","now":"SEO"/);
  for (const server of [same, other]) expect(await server.stop()).toBe(0);
});

it('one that does not know the former name of a category is warned of: its filters would miss events', async () => {
  const renamed = { ...settings, BOT_CATEGORIES: 'SEO,Selling=Sales=Deals' };
  const servers = [await startProcess(renamed), await startProcess(renamed)];
  const ignorant = await startProcess({ ...settings, BOT_CATEGORIES: 'SEO,Selling' });
  expect(servers[1]?.output()).not.toContain('had another setting');
  expect(ignorant.output()).toMatch(
    /"setting":"BOT_CATEGORIES","before":"SEO,Selling=Sales=Deals","now":"SEO,Selling"/,
  );
  for (const server of [...servers, ignorant]) expect(await server.stop()).toBe(0);
});

it('a key is rotated process by process', async () => {
  const rotated = { ...settings, WEBHOOK_SIGNING_KEY: `${second},${first}` };
  for (const role of ['worker', 'web']) expect(await (await startProcess({ ...rotated, ROLE: role })).stop()).toBe(0);
  const { code } = await runToEnd('main.js', { ...settings, PORT: '0', WEBHOOK_SIGNING_KEY: keyOf(3) });
  expect(code).toBe(1);
});

it('an address is changed on purpose, and processes that run go on', async () => {
  const { run } = operatorOf(redis.url);
  expect(await run('settings')).toContainEqual({ setting: 'BASE_URL', value: 'https://directory.example.com' });
  await run('settings', 'forget');
  const moved = await startProcess({ ...settings, BASE_URL: 'https://moved.example.com' });
  expect(await run('settings')).toContainEqual({ setting: 'BASE_URL', value: 'https://moved.example.com' });
  await redis.kill();
  await redis.restart();
  for (const server of [production, moved])
    await until('it is served', async () => (await server.get<Bot[]>('/api/bots')).status === 200);
  await moved.stop();
});

it('addresses of this machine may differ: nothing depends on them', async () => {
  const own = await startTestRedis();
  const local = { REDIS_URL: own.url, TEMPLATE_HOST: templateHost };
  const servers = [await startProcess(local), await startProcess(local), await startProcess({ ...settings, ...local })];
  for (const server of servers) expect(await server.stop()).toBe(0);
  await own.stop();
});
