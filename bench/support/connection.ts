/**
 * One kept-alive HTTP/1.1 connection of the load. Of a response it reads only status, length and tag, so that it
 * costs less than any server does.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

export type Connection = {
  /** Sends requests one after the other. `onAnswer` gets how long each response took, and returns whether to go on. */
  readonly ask: (onAnswer: (tookMs: number) => boolean) => Promise<void>;
  readonly close: () => void;
};

/**
 * What is sent: a whole request. In it, `{n}` stands for a number of nine digits that is never used twice, and `{etag}`
 * for the tag of the last 200 that this connection saw.
 */
export type Target = { readonly port: number; readonly request: string; readonly statuses: readonly number[] };

const endOfHead = '\r\n\r\n';
/** How a body in chunks ends. */
const endOfChunks = '0\r\n\r\n';
const longestHead = 4_096;
// All sockets share it: what one has read is handled before the next one reads.
const readBuffer = Buffer.allocUnsafeSlow(128 * 1_024);
let lastNumber = 100_000_000;

/** Opens it. */
export const openConnection = async ({ port, request, statuses }: Target): Promise<Connection> => {
  let onBytes: (bytes: number) => void = () => undefined;
  const onread = { buffer: readBuffer, callback: (bytes: number) => (onBytes(bytes), true) };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
  await once(socket, 'connect');
  const numbered = request.includes('{n}');
  let next = request.replace('{etag}', '"none"');
  const read = createAnswerReader(statuses, (etag) => (next = request.replace('{etag}', etag)));
  return {
    ask: (onAnswer) =>
      new Promise((resolve, reject) => {
        let sentAtMs = 0;
        const send = (): void => {
          sentAtMs = performance.now();
          socket.write(numbered ? next.replaceAll('{n}', String((lastNumber += 1))) : next, 'latin1');
        };
        onBytes = (bytes) => {
          try {
            if (!read(bytes)) return;
            if (onAnswer(performance.now() - sentAtMs)) send();
            else resolve();
          } catch (error) {
            socket.destroy(error instanceof Error ? error : new Error(String(error)));
          }
        };
        socket.once('error', reject).once('close', () => {
          reject(new Error(`The server on port ${port} closed the connection.`));
        });
        send();
      }),
    close: () => socket.destroy(),
  };
};

/**
 * Makes a function that returns whether the bytes read last complete a response. It throws on an unexpected one.
 */
const createAnswerReader = (
  statuses: readonly number[],
  onTag: (etag: string) => void,
): ((bytes: number) => boolean) => {
  let missing = 0;
  let head = '';
  let tail = '';
  /** Takes more bytes of a body, which end there in the buffer; returns whether it is complete. */
  const isComplete = (bytes: number, end: number): boolean => {
    missing -= bytes;
    if (missing !== Infinity) return missing === 0;
    const { length } = endOfChunks;
    tail = (tail + readBuffer.toString('latin1', Math.max(0, end - length), end)).slice(-length);
    if (tail === endOfChunks) missing = 0;
    return missing === 0;
  };
  return (bytes) => {
    if (missing > 0) return isComplete(bytes, bytes);
    const before = head.length;
    head += readBuffer.toString('latin1', 0, Math.min(bytes, longestHead));
    const end = head.indexOf(endOfHead);
    if (end === -1) return false;
    const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    if (!statuses.includes(status)) throw new Error(`Not expected: ${head}`);
    if (status === 200) onTag(/^etag: (.*)\r/im.exec(head)?.[1] ?? '');
    missing = lengthOf(head, status);
    const headBytes = end + endOfHead.length - before;
    head = '';
    tail = '';
    return isComplete(bytes - headBytes, bytes);
  };
};

const lengthOf = (head: string, status: number): number => {
  if (status === 304) return 0;
  if (/^transfer-encoding: chunked/im.test(head)) return Infinity;
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`No Content-Length: ${head}`);
  return Number(length);
};
