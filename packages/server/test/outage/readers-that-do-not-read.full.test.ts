import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { publishMany } from '@bot-directory/testing/many-events';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const bots = 4_000;
const versions = 100;
const readersOfEach = 10;
/** Less than half of 100 whole lists of 7 MB: it holds only what changed in each. */
const maxGrowthBytes = 300e6;

let server: ServerProcess;
const readers: Socket[] = [];
const redis = useStarted(startTestRedis);
const provider = useStarted(startProvider);
beforeAll(async () => {
  await publishMany(redis.url, { count: bots, descriptionBytes: 1_500 });
  server = await startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    WRITE_RATE_LIMIT: '0',
    CONNECTIONS_PER_ADDRESS: '0',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: '--max-old-space-size=128',
  });
});
afterAll(async () => {
  for (const reader of readers) reader.destroy();
  await server.stop();
});

const residentBytes = async (): Promise<number> => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
};

/** Asks for the whole list, takes its first bytes, and reads no further. */
const stall = async (): Promise<void> => {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  readers.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET /api/bots HTTP/1.1\r\nHost: bots.example.com\r\n\r\n');
  await new Promise<void>((resolve) => {
    socket.once('data', () => {
      socket.pause();
      resolve();
    });
  });
};

it('holds no more of each version than what changed, for 1,000 readers that do not read', async () => {
  await until('the list is served', async () => (await server.get<Bot[]>('/api/bots')).body.length === bots);
  const before = await residentBytes();
  for (let i = 0; i < versions; i += 1) {
    const link = `https://${templateHost}/bot/${provider.template({ name: `Version ${i}` })}`;
    expect((await server.post('/api/bots/submit', { link })).status).toBe(200);
    await Promise.all(Array.from({ length: readersOfEach }, stall));
  }
  expect(readers).toHaveLength(versions * readersOfEach);
  expect((await residentBytes()) - before).toBeLessThan(maxGrowthBytes);
  expect((await server.get<Bot[]>('/api/bots?limit=20')).body[0]?.name).toBe(`Version ${versions - 1}`);
});
