/** The network between a service and its Redis, which a test can break. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** More than enough for a command to run. */
const runsForMs = 100;

export type RedisProxy = Awaited<ReturnType<typeof startRedisProxy>>;

/** Forwards to the Redis at `url`. */
export const startRedisProxy = async (url: string) => {
  let target = new URL(url);
  const pairs = new Set<readonly [client: Socket, redis: Socket]>();
  let fatal: string | undefined;
  let silent = 0;
  const server = createServer((client) => {
    const redis = connect(Number(target.port), target.hostname);
    const pair = [client, redis] as const;
    const end = (): void => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    pairs.add(pair);
    if (silent > 0) return void (silent -= 1);
    redis.pipe(client);
    client.on('data', (chunk: Buffer) => {
      redis.write(chunk);
      if (fatal === undefined || !chunk.includes(fatal)) return;
      fatal = undefined;
      redis.unpipe().resume();
      setTimeout(end, runsForMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** New connections lead to another Redis; those that there are stay. */
    leadNewTo: (other: string): void => {
      target = new URL(other);
    },
    /** The same, and those that there are break. */
    leadTo: (other: string): void => {
      target = new URL(other);
      for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    },
    /** Nothing passes any more through the connections there are, which stay open; new ones work. */
    freeze: (): void => {
      for (const sockets of pairs) for (const socket of sockets) socket.unpipe().removeAllListeners('data').pause();
    },
    /** The next connections are accepted, and nothing passes through them. */
    silenceNext: (count: number): void => {
      silent = count;
    },
    /** The next command that holds this text arrives and is run, but its connection breaks before the reply. */
    loseReplyTo: (text: string): void => {
      fatal = text;
    },
    stop: async (): Promise<void> => {
      for (const sockets of pairs) for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
