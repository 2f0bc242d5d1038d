import { once } from 'node:events';
import { Duplex, PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection, DeadlineExceeded } from './connection.ts';
import { ConnectionPool, ConnectionsClosed } from './connection-pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a request', () => {
  it('times out while it waits for one that hangs', async () => {
    const open = vi.fn(async (_origin: string, signal: AbortSignal): Promise<never> => {
      await once(signal, 'abort');
      signal.throwIfAborted();
      throw new Error('aborted without a reason');
    });
    const pool = new ConnectionPool({ open, onConnect: () => undefined, perOrigin: 1, idle: 0 });
    const send = (timeoutMs: number) =>
      pool.send({ origin: 'https://a.test', bytes: Buffer.from('POST'), timeoutMs }).catch((reason: unknown) => reason);
    const hangs = send(60_000);
    const waiting = Promise.all([send(300), send(300)]);
    await vi.advanceTimersByTimeAsync(300);
    expect(await waiting).toEqual([expect.any(DeadlineExceeded), expect.any(DeadlineExceeded)]);
    expect(open).toHaveBeenCalledOnce();
    pool.close();
    expect(await hangs).toBeInstanceOf(ConnectionsClosed);
  });

  /** A server that answers each request at once, and how long its connection may be kept after `count` of them. */
  const keptAfter = async (count: number, everyMs: number): Promise<number | undefined> => {
    const toServer = new PassThrough();
    const toClient = new PassThrough();
    toServer.on('data', () =>
      toClient.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nContent-Length: 0\r\n\r\n'),
    );
    const socket = Duplex.from({ readable: toClient, writable: toServer });
    const connection = new Connection('https://a.test', socket, () => undefined);
    for (let i = 1; ; i += 1) {
      const { keepMs } = await connection.post(Buffer.from('POST'), 10_000);
      if (i === count) return keepMs;
      await vi.advanceTimersByTimeAsync(everyMs);
    }
  };

  it('goes out on a connection that is two minutes old at most, however often it is used', async () => {
    expect(await keptAfter(1, 0)).toBe(120_000);
    expect(await keptAfter(4, 30_000)).toBe(30_000);
    expect(await keptAfter(5, 30_000)).toBeUndefined();
  });

  it('is not sent once its time is over', async () => {
    const socket = new PassThrough();
    const connection = new Connection('https://a.test', socket, () => undefined);
    const late = connection.post(Buffer.from('POST'), 0).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(1);
    expect(await late).toBeInstanceOf(DeadlineExceeded);
    expect(socket.readableLength).toBe(0);
  });
});
