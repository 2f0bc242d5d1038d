/** A promotion is announced while the service asks a Sentinel for the primary: real ones would need luck for that. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, it } from 'vitest';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { createLog } from '../../src/base/log.ts';
import { openStore } from '../../src/store/redis.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

const commandsIn = (chunk: Buffer): string[] =>
  String(chunk)
    .toLowerCase()
    .split(/^\*\d+\r\n/m)
    .slice(1);

/**
 * A Sentinel of one primary, in as much of RESP3 as is asked of it. With `announceWhenAsked()` it tells of a promotion
 * just before the next answer.
 */
const startSentinel = async (primary: URL) => {
  const subscribers = new Set<Socket>();
  let isPromoting = false;
  const answer = (socket: Socket): void => {
    if (isPromoting)
      for (const subscriber of subscribers)
        subscriber.write(`>3\r\n${['message', '+switch-master', 'directory a 1 b 2'].map(bulk).join('')}`);
    isPromoting = false;
    setTimeout(() => socket.write(`*2\r\n${bulk(primary.hostname)}${bulk(primary.port)}`), 100);
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => subscribers.delete(socket));
    socket.on('data', (chunk) => {
      for (const command of commandsIn(chunk))
        if (command.includes('get-master-addr')) answer(socket);
        else if (command.includes('subscribe')) {
          subscribers.add(socket);
          socket.write(`>3\r\n${bulk('subscribe')}${bulk('+switch-master')}:1\r\n`);
        } else socket.write(command.includes('sentinels') ? '*0\r\n' : '+OK\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis-sentinel://127.0.0.1:${(server.address() as AddressInfo).port}#directory`,
    subscribers,
    announceWhenAsked: (): void => {
      isPromoting = true;
    },
    hasAnnounced: (): boolean => !isPromoting,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
};

it('finds the primary when a promotion is announced while it asks for the primary', async () => {
  const sentinel = await startSentinel(new URL(redis.url));
  const store = openStore([sentinel.url], createLog('silent'));
  await until('it answers', () => store.ping());
  await until('it hears of promotions', () => sentinel.subscribers.size === 1);
  sentinel.announceWhenAsked();
  await store.call((client) => client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no')).catch(() => undefined);
  await until('the promotion is announced', sentinel.hasAnnounced);
  await until('it answers again', () => store.ping());
  await store.close();
  await sentinel.stop();
});
