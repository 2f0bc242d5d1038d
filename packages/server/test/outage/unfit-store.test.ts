/**
 * A store that this server can't serve is detected at any connection to it, and served when it is fit again.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { runToEnd, startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost, type Provider } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

let client: Redis;
let provider: Provider;
let server: ServerProcess;
const redis = useStarted(() => startTestRedis({ persist: true }));
beforeAll(async () => {
  client = new Redis(redis.url);
  client.on('error', () => undefined);
  provider = await startProvider();
  await redis.kill();
  server = await startProcess({ REDIS_URL: redis.url, TEMPLATE_HOST: templateHost, TEMPLATE_ORIGIN: provider.origin });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
  client.disconnect();
});

const expectUnserved = async (why: RegExp): Promise<void> => {
  await until('the log says why', () => why.test(server.output()));
  const list = await server.get<Problem>('/api/bots');
  const write = await server.post<Problem>('/api/feed', { url: 'https://x.com/jo/status/1' });
  const ready = await server.get('/healthz/store');
  expect([list.status, write.status, ready.status]).toEqual([500, 503, 503]);
  expect(await client.exists(keys.posts)).toBe(0);
};

const served = (): Promise<void> =>
  until('it is served', async () => (await server.get<Bot[]>('/api/bots')).status === 200);

it('that came after the start with a later data model', async () => {
  await redis.restart();
  const model = Number(await client.hget(keys.state, 'model'));
  await client.hset(keys.state, 'model', model + 1);
  await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await expectUnserved(
    new RegExp(`the store has data model ${model + 1}, and this server knows up to ${model}: start a newer server`),
  );
  await client.hset(keys.state, 'model', model);
  await served();
});

it('that was put back with an import that was not finished', async () => {
  await redis.kill();
  await redis.restart();
  await until('it answers', () => client.ping().then(() => true));
  await client.hset(keys.state, 'import', 'unfinished');
  await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await expectUnserved(/an import into this store was not finished/);
  expect(server.output().match(/"the store cannot be used"/g)).toHaveLength(2);
  await client.hdel(keys.state, 'import');
  await served();
});

it('whose database is not there: it is never served from another one', async () => {
  const settings = { TEMPLATE_HOST: templateHost, REDIS_URL: `${redis.url}/99` };
  for (const [program, args] of [
    ['main.js', []],
    ['admin.js', ['bots']],
  ] as const) {
    const { code, output } = await runToEnd(program, { ...settings, PORT: '0' }, [...args]);
    expect([program, code, output]).toEqual([
      program,
      1,
      expect.stringMatching(/REDIS_URL names database 99, which the server refuses/),
    ]);
  }
  await redis.kill();
  const late = await startProcess(settings);
  await redis.restart();
  await until('the log says why', () => /REDIS_URL names database 99/.test(late.output()));
  expect([(await late.get('/api/bots')).status, (await late.get('/healthz/store')).status]).toEqual([500, 503]);
  await late.stop();
});
