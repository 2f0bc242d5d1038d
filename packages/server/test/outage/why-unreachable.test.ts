/** The log has each reason for which the store cannot be reached, though no request asks for it. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { openStore } from '../../src/redis/open-store.ts';

/** Opens a store. Returns the reasons in its log so far. */
const open = (url: string) => {
  const reasons: string[] = [];
  const log = pino(
    { base: null },
    { write: (line: string) => void reasons.push((JSON.parse(line) as { reason: string }).reason) },
  );
  return { store: openStore([url], log, { deadlineMs: 200 }), reasons };
};

it('has the next reason, and each once', async () => {
  const redis = await startTestRedis();
  const { port } = new URL(redis.url);
  await redis.kill();
  const { store, reasons } = open(`redis://nobody:old@127.0.0.1:${port}`);
  try {
    await until('it is away', () => reasons.length > 0);
    await redis.restart();
    await until('its password is another', () => reasons.length > 1);
    const seen = store.connection();
    await until('it tried again', () => store.connection() > seen + 2);
    expect(reasons).toEqual([expect.stringContaining('ECONNREFUSED'), expect.stringContaining('WRONGPASS')]);
  } finally {
    await store.close();
    await redis.stop();
  }
});

const respond: RequestListener = (_req, res) => void res.end();

it.each<[string, () => Server, string]>([
  ['is silent', () => createTcpServer((socket) => void socket.on('error', () => undefined)), 'it accepts connections'],
  ['is not a Redis', () => createServer(respond), 'what answers is not a Redis'],
])('says of a port that it %s', async (_what, create, why) => {
  const server = create();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { store, reasons } = open(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    await until('it is logged', () => reasons.length > 0);
    expect(reasons[0]).toContain(why);
    expect(store.trouble()).toContain(why);
  } finally {
    await store.close();
    server.close();
  }
});
