/** Closes a connection whose client is still sending. */
import type { Socket } from 'node:net';

/** How long it may go on: closing a socket with unread data resets the connection, and the response is lost. */
const lingerMs = 1_000;

/** Closes our half at once, and the rest when the client has closed its half or has had time to read. */
export const closeGently = (socket: Socket, last?: Buffer): void => {
  if (last === undefined) socket.end();
  else socket.end(last);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
};
