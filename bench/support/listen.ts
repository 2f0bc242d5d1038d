/** Servers on loopback. */
import { once } from 'node:events';
import type { Server } from 'node:http';

/** Listens on a free port, and gives it. */
export const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
};

/** The port of a server that listens. */
export const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
};
