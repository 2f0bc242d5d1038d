/** HTTP byte by byte, for what no client would send. */
import { connect, type Socket } from 'node:net';

/** What came back on a connection. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly text: string;
};

/** A connection to a server, and all that it has said so far. */
export const openRaw = (url: string) => {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen: false });
  let text = '';
  let closed = false;
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  const closing = new Promise<void>((resolve) =>
    socket.on('close', () => {
      closed = true;
      resolve();
    }),
  );
  return {
    socket,
    send: (bytes: string | Buffer) => void socket.write(bytes),
    text: () => text,
    isClosed: () => closed,
    closed: closing,
  };
};

/** Sends bytes and waits until the server has closed the connection. */
export const exchangeRaw = async (url: string, bytes: string): Promise<RawAnswer> => {
  const raw = openRaw(url);
  raw.send(bytes);
  await raw.closed;
  return readAnswer(raw.text());
};

/** Reads one answer. */
export const readAnswer = (text: string): RawAnswer => {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]));
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4), text };
};
