/** The network between a service and its Redis, which a test can break, slow down or cut in the middle of a reply. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** More than enough for a command to run. */
const runsForMs = 100;
/** How often a line of so many bytes a second passes some. */
const passesEveryMs = 50;

export type RedisProxy = Awaited<ReturnType<typeof startRedisProxy>>;

/** How replies travel. */
type Line = { readonly latencyMs: number; readonly bytesPerSec: number };
const perfect: Line = { latencyMs: 0, bytesPerSec: Infinity };

/** What goes wrong, and what is connected. */
type Network = {
  target: URL;
  readonly pairs: Set<Pair>;
  line: Line;
  fatal: string | undefined;
  silent: number;
  cutAfter: number | undefined;
};

/** Forwards to the Redis at `url`. */
export const startRedisProxy = async (url: string) => {
  const network: Network = {
    ...{ target: new URL(url), pairs: new Set<Pair>(), line: perfect, silent: 0 },
    ...{ fatal: undefined, cutAfter: undefined },
  };
  const server = createServer((client) => {
    accept(client, network);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const pair of network.pairs) pair.end();
  };
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** New connections lead to another Redis; those that there are stay. */
    leadNewTo: (other: string): void => {
      network.target = new URL(other);
    },
    /** The same, and those that there are break. */
    leadTo: (other: string): void => {
      network.target = new URL(other);
      cut();
    },
    /** All connections break; new ones work. */
    cut,
    /** Nothing passes any more through the connections there are, which stay open; new ones work. */
    freeze: (): void => {
      for (const pair of network.pairs) pair.freeze();
    },
    /** The next connections are accepted, and nothing passes through them. */
    silenceNext: (count: number): void => {
      network.silent = count;
    },
    /** Replies travel like this from now on, until `{}`. */
    slowDown: (slower: Partial<Line>): void => {
      network.line = { ...perfect, ...slower };
    },
    /** The next reply that is longer than this is cut after so many bytes, by a reset. */
    resetAfter: (bytes: number): void => {
      network.cutAfter = bytes;
    },
    /** The next command that holds this text arrives and is run, but its connection breaks before the reply. */
    loseReplyTo: (text: string): void => {
      network.fatal = text;
    },
    stop: async (): Promise<void> => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const accept = (client: Socket, network: Network): void => {
  const { target, pairs } = network;
  const pair = openPair(client, connect(Number(target.port), target.hostname), () => network.line);
  pairs.add(pair);
  client.once('close', () => pairs.delete(pair));
  if (network.silent > 0) {
    network.silent -= 1;
    pair.freeze();
  }
  pair.redis.on('data', (chunk: Buffer) => {
    const { cutAfter } = network;
    if (cutAfter === undefined || chunk.length <= cutAfter) {
      pair.reply(chunk);
      return;
    }
    network.cutAfter = undefined;
    client.write(chunk.subarray(0, cutAfter), () => client.resetAndDestroy());
  });
  client.on('data', (chunk: Buffer) => {
    if (!pair.send(chunk) || network.fatal === undefined || !chunk.includes(network.fatal)) return;
    network.fatal = undefined;
    pair.dropReplies();
    setTimeout(pair.end, runsForMs);
  });
};

type Pair = ReturnType<typeof openPair>;

/** One connection of the service, and ours to Redis for it. */
const openPair = (client: Socket, redis: Socket, line: () => Line) => {
  let isFrozen = false;
  let isDropping = false;
  const reply = delayed(client, line);
  const end = (): void => {
    for (const socket of [client, redis]) socket.destroy();
  };
  for (const socket of [client, redis]) socket.on('error', end).on('close', end);
  return {
    client,
    redis,
    end,
    freeze: (): void => {
      isFrozen = true;
    },
    dropReplies: (): void => {
      isDropping = true;
    },
    reply: (chunk: Buffer): void => {
      if (!isFrozen && !isDropping) reply(chunk);
    },
    /** Says whether it went. */
    send: (chunk: Buffer): boolean => !isFrozen && (redis.write(chunk), true),
  };
};

/** Writes in order, as late and as slowly as the line is when it comes. */
const delayed = (socket: Socket, line: () => Line): ((chunk: Buffer) => void) => {
  const waiting: { readonly atMs: number; readonly bytes: Buffer }[] = [];
  let lastMs = 0;
  const drain = (): void => {
    for (;;) {
      const [first] = waiting;
      if (first === undefined) return;
      const leftMs = first.atMs - performance.now();
      if (leftMs > 0) return void setTimeout(drain, leftMs);
      waiting.shift();
      if (!socket.destroyed) socket.write(first.bytes);
    }
  };
  return (chunk) => {
    const { latencyMs, bytesPerSec } = line();
    const size = Math.max(1, Math.floor((bytesPerSec * passesEveryMs) / 1_000));
    const wasIdle = waiting.length === 0;
    for (let at = 0; at < chunk.length; at += size) {
      const bytes = chunk.subarray(at, Math.min(chunk.length, at + size));
      lastMs = Math.max(performance.now() + latencyMs, lastMs + (bytes.length / bytesPerSec) * 1_000);
      waiting.push({ atMs: lastMs, bytes });
    }
    if (wasIdle) drain();
  };
};
