/** A promotion is announced at moments that real Sentinels would hit only by chance. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { createLog } from '../../src/base/log.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/redis.ts';

const redis = useStarted(startTestRedis);

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

const commandsIn = (chunk: Buffer): string[] =>
  String(chunk)
    .toLowerCase()
    .split(/^\*\d+\r\n/m)
    .slice(1);

/** Where nothing listens. */
const elsewhere = new URL('redis://127.0.0.2:1');

/** Starts a Sentinel of one primary that speaks as much RESP3 as the client needs. It refuses its first subscriber. */
const startSentinel = async (primary: URL) => {
  const subscribers = new Set<Socket>();
  let isAnnouncing = false;
  let isRefusing = true;
  const announce = ({ hostname, port }: URL): void => {
    const message = `directory 127.0.0.3 1 ${hostname} ${port}`;
    for (const subscriber of subscribers)
      subscriber.write(`>3\r\n${['message', '+switch-master', message].map(bulk).join('')}`);
  };
  const answer = (socket: Socket): void => {
    if (isAnnouncing) announce(elsewhere);
    isAnnouncing = false;
    setTimeout(() => socket.write(`*2\r\n${bulk(primary.hostname)}${bulk(primary.port)}`), 100);
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => subscribers.delete(socket));
    socket.on('data', (chunk) => {
      for (const command of commandsIn(chunk))
        if (command.includes('get-master-addr')) answer(socket);
        else if (command.includes('subscribe') && isRefusing) {
          isRefusing = false;
          socket.write('-NOPERM not now\r\n');
        } else if (command.includes('subscribe')) {
          subscribers.add(socket);
          socket.write(`>3\r\n${bulk('subscribe')}${bulk('+switch-master')}:1\r\n`);
        } else socket.write(command.includes('sentinels') ? '*0\r\n' : '+OK\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis-sentinel://127.0.0.1:${(server.address() as AddressInfo).port}#directory`,
    subscribers,
    announce,
    /** Announces another primary just before the next reply. */
    announceWhenAsked: (): void => {
      isAnnouncing = true;
    },
    hasAnnounced: (): boolean => !isAnnouncing,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
};

let sentinel: Awaited<ReturnType<typeof startSentinel>>;
let store: Store;
beforeEach(async () => {
  sentinel = await startSentinel(new URL(redis.url));
  store = openStore([sentinel.url], createLog('silent'));
  await until('it answers', () => store.ping());
  await until('it hears of promotions', () => sentinel.subscribers.size === 1);
});
afterEach(async () => {
  await store.close();
  await sentinel.stop();
});

it('finds the primary when a promotion is announced while it asks for the primary', async () => {
  sentinel.announceWhenAsked();
  await store.call((client) => client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no')).catch(() => undefined);
  await until('the promotion is announced', sentinel.hasAnnounced);
  await until('it answers again', () => store.ping());
});

it('keeps its connection to the new primary when other Sentinels announce it, too', async () => {
  const id = () => store.call((client) => client.call('CLIENT', 'ID'));
  const before = await id();
  sentinel.announce(new URL(redis.url));
  // Long enough to see a connection end, if it did.
  await sleep(200);
  expect(await id()).toBe(before);
});
