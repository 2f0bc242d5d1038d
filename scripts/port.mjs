/** TCP ports of this machine. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Below the ports that systems assign by themselves, to clients and to servers that name none: 32768 and up. */
const lowest = 10_240;
const highest = 32_767;
const blockSize = 64;
const blockCount = Math.floor((highest + 1 - lowest) / blockSize);

/** What is left of this process's block. @type {Promise<number[]>} */
let block = Promise.resolve([]);

/**
 * Returns a free loopback port that no other caller on this machine gets while this process runs: what listens there
 * may end and start again, and a port where nothing is started never responds.
 */
export const freePort = async () => {
  for (;;) {
    const current = block;
    const port = (await current).pop();
    if (port !== undefined && (await isFree(port))) return port;
    if (port === undefined && block === current) block = claimBlock();
  }
};

/** Claims a block by listening on its first port. The system frees it when the process ends. */
const claimBlock = async () => {
  const start = Math.floor(Math.random() * blockCount);
  for (let i = 0; i < blockCount; i++) {
    const first = lowest + ((start + i) % blockCount) * blockSize;
    if ((await listen(first)) !== undefined) return Array.from({ length: blockSize - 1 }, (_, j) => first + 1 + j);
  }
  throw new Error(`Something listens on every ${blockSize}th port from ${lowest} to ${highest}.`);
};

/** @param {number} port */
const isFree = async (port) => {
  const server = await listen(port);
  if (server === undefined) return false;
  server.close();
  await once(server, 'close');
  return true;
};

/**
 * Returns a server that keeps no process alive, or nothing if the port is taken.
 * @param {number} port
 */
const listen = async (port) => {
  const server = createServer().unref();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  } catch {
    return undefined;
  }
};

/**
 * Whether something answers at `localhost:port`, by whichever of IPv4 and IPv6 a browser would use.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export const isTaken = (port) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
