/** A name server that is silent about the provider delays no other name: Redis, found by name, is back at once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startNameServer } from '@bot-directory/testing/name-server';
import { needsMounts } from '@bot-directory/testing/needs';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';

const redisName = 'redis.example.test';
const providerName = 'bots.example.test';
/** Of this machine alone, and of no other name server on it. */
const address = '127.53.0.1';

let nameServer: Awaited<ReturnType<typeof startNameServer>>;
let unanswered = 0;
let folder: string;
let redis: TestRedis;
let server: ServerProcess;
beforeAll(async () => {
  nameServer = await startNameServer(
    (name) => {
      if (name === redisName) return ['127.0.0.1'];
      unanswered += 1;
      return 'silence';
    },
    { host: address, port: 53 },
  );
  redis = await startTestRedis({ persist: true });
  folder = mkdtempSync(join(tmpdir(), 'silent-'));
  const resolvConf = join(folder, 'resolv.conf');
  writeFileSync(resolvConf, `nameserver ${address}\noptions timeout:5 attempts:2\n`);
  const settings = {
    REDIS_URL: redis.url.replace('127.0.0.1', redisName),
    TEMPLATE_HOST: providerName,
    WRITE_RATE_LIMIT: '0',
    BASE_URL: '',
  };
  server = await startProcess(settings, { resolvConf });
});
afterAll(async () => {
  await redis.stop();
  await nameServer.stop();
  rmSync(folder, { recursive: true });
});

it('is back within a minute, while submits wait for the provider', needsMounts(), async () => {
  const lists = async (): Promise<number> => (await server.get('/api/bots')).status;
  await until('it serves', async () => (await lists()) === 200);
  const ended = new AbortController();
  const submitting = Array.from({ length: 16 }, async (_, i) => {
    for (let n = 0; !ended.signal.aborted; n += 1) {
      const { status } = await server.post('/api/bots/submit', { link: `https://${providerName}/bot/bot-${i}-${n}` });
      expect(status).toBe(503);
    }
  });
  const submitted = Promise.allSettled(submitting);
  try {
    await until('the name server is asked', () => unanswered > 0);
    await redis.kill();
    await until('the store is away', async () => (await lists()) === 500);
    await redis.restart();
    await until('it serves again', async () => (await lists()) === 200, 60_000);
    ended.abort();
    await Promise.all(submitting);
  } finally {
    ended.abort();
    await server.kill();
    await submitted;
  }
});
