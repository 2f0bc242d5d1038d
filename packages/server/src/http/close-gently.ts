/** How a connection is closed whose client is still sending. */
import type { Socket } from 'node:net';

/** How long it may go on: a socket that is closed with unread data resets the connection, and the answer is lost. */
const lingerMs = 1_000;

/** Closes our half at once, and all of it when the client has closed its own or had time to read. */
export const closeGently = (socket: Socket, last?: Buffer): void => {
  if (last === undefined) socket.end();
  else socket.end(last);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
};
