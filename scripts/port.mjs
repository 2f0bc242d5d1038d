/** TCP ports of this machine. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A loopback port that is free at the moment. */
export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
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
