/**
 * The proxy of `redis-proxy.ts`, in a thread of its own: the test's own work does not slow the network down. Forwards
 * to the Redis at `workerData`, posts its port, and then the id of each call that it has carried out.
 */
import { connect, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** @typedef {import('node:net').Socket} Socket */
/** @typedef {{ latencyMs: number, bytesPerSec: number }} Line How replies travel. */
/** @typedef {ReturnType<typeof openPair>} Pair */

/** More than enough for a command to run. */
const runsForMs = 100;
/** How often a slow line passes some bytes. */
const passesEveryMs = 50;

/** @type {Line} */
const perfect = { latencyMs: 0, bytesPerSec: Infinity };

/** What goes wrong, and what is connected. */
const network = {
  target: new URL(workerData),
  /** @type {Set<Pair>} */
  pairs: new Set(),
  line: perfect,
  silent: 0,
  /** @type {string | undefined} */
  fatal: undefined,
  /** @type {number | undefined} */
  cutAfter: undefined,
};

/** @param {Socket} client */
const accept = (client) => {
  const { target, pairs } = network;
  const pair = openPair(client, connect(Number(target.port), target.hostname));
  pairs.add(pair);
  client.once('close', () => pairs.delete(pair));
  if (network.silent > 0) {
    network.silent -= 1;
    pair.freeze();
  }
  pair.redis.on('data', (/** @type {Buffer} */ chunk) => {
    const { cutAfter } = network;
    if (cutAfter === undefined || chunk.length <= cutAfter) {
      pair.reply(chunk);
      return;
    }
    network.cutAfter = undefined;
    client.write(chunk.subarray(0, cutAfter), () => client.resetAndDestroy());
  });
  client.on('data', (/** @type {Buffer} */ chunk) => {
    if (!pair.send(chunk) || network.fatal === undefined || !chunk.includes(network.fatal)) return;
    network.fatal = undefined;
    pair.dropReplies();
    setTimeout(pair.end, runsForMs);
  });
};

/**
 * One connection of the service, and ours to Redis for it.
 * @param {Socket} client
 * @param {Socket} redis
 */
const openPair = (client, redis) => {
  let isFrozen = false;
  let isDropping = false;
  const reply = delayed(client);
  const end = () => {
    for (const socket of [client, redis]) socket.destroy();
  };
  for (const socket of [client, redis]) socket.on('error', end).on('close', end);
  return {
    redis,
    end,
    freeze: () => {
      isFrozen = true;
    },
    dropReplies: () => {
      isDropping = true;
    },
    reply: (/** @type {Buffer} */ chunk) => {
      if (!isFrozen && !isDropping) reply(chunk);
    },
    /** Returns whether it was sent. */
    send: (/** @type {Buffer} */ chunk) => !isFrozen && (redis.write(chunk), true),
  };
};

/**
 * Writes in order, as late and as slowly as the line is when a chunk comes.
 * @param {Socket} socket
 * @returns {(chunk: Buffer) => void}
 */
const delayed = (socket) => {
  /** @type {{ atMs: number, bytes: Buffer }[]} */
  const waiting = [];
  let lastMs = 0;
  /** @returns {void} */
  const drain = () => {
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
    const { latencyMs, bytesPerSec } = network.line;
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

const server = createServer(accept);

const cut = () => {
  for (const pair of network.pairs) pair.end();
};

/** What `redis-proxy.ts` calls, and documents. */
const faults = {
  cut,
  leadNewTo: (/** @type {string} */ url) => {
    network.target = new URL(url);
  },
  leadTo: (/** @type {string} */ url) => {
    network.target = new URL(url);
    cut();
  },
  freeze: () => {
    for (const pair of network.pairs) pair.freeze();
  },
  silenceNext: (/** @type {number} */ count) => {
    network.silent = count;
  },
  slowDown: (/** @type {Partial<Line>} */ slower) => {
    network.line = { ...perfect, ...slower };
  },
  resetAfter: (/** @type {number} */ bytes) => {
    network.cutAfter = bytes;
  },
  loseReplyTo: (/** @type {string} */ text) => {
    network.fatal = text;
  },
};
/** @typedef {typeof faults} Faults */

parentPort?.on('message', ({ id, name, args }) => {
  faults[/** @type {keyof Faults} */ (name)](.../** @type {[never]} */ (args));
  parentPort?.postMessage({ id });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') parentPort?.postMessage({ port: address.port });
});
