/** A name server that is silent about the provider delays no other name: Redis, found by name, is back at once. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canMount, startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';

const [redisName, providerName] = ['redis.example.test', 'bots.example.test'];
/** Of this machine alone, and of no other name server on it. */
const address = '127.53.0.1';

/** The name in a query, and where its question ends. */
const questionOf = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 5 };
};

/** Answers for the name of Redis, and counts questions about all others. */
const startNameServer = async (): Promise<{ socket: Socket; unanswered: () => number }> => {
  const socket = createSocket('udp4');
  let unanswered = 0;
  socket.on('message', (query, { port, address: from }) => {
    const { name, end } = questionOf(query);
    if (name !== redisName) {
      unanswered += 1;
      return;
    }
    const isV4 = query.readUInt16BE(end - 4) === 1;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(isV4 ? 1 : 0, 6);
    head.fill(0, 8);
    const record = Buffer.from('c00c00010001000000000004' + '7f000001', 'hex');
    socket.send(Buffer.concat([head, query.subarray(12, end), ...(isV4 ? [record] : [])]), port, from);
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  return { socket, unanswered: () => unanswered };
};

const isPossible = process.platform === 'linux' && process.getuid?.() === 0 && canMount();

let nameServer: Awaited<ReturnType<typeof startNameServer>>;
let folder: string;
let redis: TestRedis;
let server: ServerProcess;
beforeAll(async () => {
  if (!isPossible) return;
  [nameServer, redis] = [await startNameServer(), await startTestRedis({ persist: true })];
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
  if (!isPossible) return;
  await redis.stop();
  nameServer.socket.close();
  rmSync(folder, { recursive: true });
});

it.skipIf(!isPossible)(
  'is back within a minute, while submits wait for the provider',
  { timeout: 180_000 },
  async () => {
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
      await until('the name server is asked', () => nameServer.unanswered() > 0);
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
  },
);
