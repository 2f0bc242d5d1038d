/** The commands that a Redis gets. The monitor of ioredis fails if the first comes with the reply to MONITOR. */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** `+<time> [<database> <address, or lua>] "<command>" "<argument>"…` */
const line = /^\+[\d.]+ \[\d+ (\S+)\] "(\w+)"/;

/**
 * Calls back for each command, but not for those of scripts, with its name in lower case and its line. Returns a
 * function that ends this.
 */
export const monitor = async (redisUrl: string, seen: (command: string, text: string) => void): Promise<() => void> => {
  const { hostname, port } = new URL(redisUrl);
  const socket = connect(Number(port), hostname);
  const began = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    createInterface({ input: socket }).on('line', (text) => {
      if (text === '+OK') resolve();
      const [, from, command = ''] = line.exec(text) ?? [];
      if (from !== undefined && from !== 'lua') seen(command.toLowerCase(), text);
    });
  });
  socket.write('MONITOR\r\n');
  await began;
  return () => void socket.destroy();
};
