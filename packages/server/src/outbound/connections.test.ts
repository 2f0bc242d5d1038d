import { once } from 'node:events';
import { Duplex, PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection, DeadlineExceeded } from './connection.ts';
import { Connections, ConnectionsClosed, IdleConnections, idleLimit } from './connections.ts';

const connection = (origin: string) => {
  const made = { origin, isOpen: true, close: () => void (made.isOpen = false) };
  return made;
};
type Made = ReturnType<typeof connection>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('idle connections', () => {
  it('are taken once each, by their own origin, the most recently used first', () => {
    const idle = new IdleConnections<Made>(10);
    const [first, second, other] = [connection('a'), connection('a'), connection('b')];
    for (const one of [first, second, other]) idle.put(one, 1_000);
    expect([idle.take('a'), idle.take('a'), idle.take('a')]).toEqual([second, first, undefined]);
    expect([idle.take('b'), idle.take('c')]).toEqual([other, undefined]);
    expect(idle.size).toBe(0);
  });

  it('are closed when their time is over, each by itself, and then no timer is left', () => {
    const idle = new IdleConnections<Made>(10);
    const [short, long] = [connection('a'), connection('b')];
    idle.put(short, 5_000);
    idle.put(long, 55_000);
    vi.advanceTimersByTime(4_000);
    expect(short.isOpen).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect([short.isOpen, long.isOpen, idle.size]).toEqual([false, true, 1]);
    vi.advanceTimersByTime(48_000);
    expect(long.isOpen).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect([long.isOpen, idle.size, vi.getTimerCount()]).toEqual([false, 0, 0]);
  });

  it('are not taken when they are closed, or late', () => {
    const idle = new IdleConnections<Made>(10);
    const [closed, late] = [connection('a'), connection('b')];
    idle.put(closed, 5_000);
    idle.put(late, 500);
    closed.isOpen = false;
    vi.setSystemTime(0);
    vi.advanceTimersByTime(600);
    expect([idle.take('a'), idle.take('b'), late.isOpen, idle.size]).toEqual([undefined, undefined, false, 0]);
  });

  it('never exceed their limit: the least recently used is closed', () => {
    const idle = new IdleConnections<Made>(3);
    const made = ['a', 'b', 'c', 'd'].map(connection);
    for (const one of made.slice(0, 3)) idle.put(one, 60_000);
    const again = idle.take('a');
    if (again !== undefined) idle.put(again, 60_000);
    idle.put(connection('d'), 60_000);
    expect(made.map(({ isOpen }) => isOpen)).toEqual([true, false, true, true]);
    expect(idle.size).toBe(3);
    const none = new IdleConnections<Made>(0);
    const one = connection('a');
    none.put(one, 60_000);
    expect([none.take('a'), one.isOpen]).toEqual([undefined, false]);
  });

  it('are as many as fit into an eighth of the memory', () => {
    expect(idleLimit(256 * 2 ** 20)).toBeGreaterThan(100);
    expect(idleLimit(2 ** 30)).toBeGreaterThan(1_000);
    expect([idleLimit(0), idleLimit(Infinity)]).toEqual([64, 4_096]);
  });
});

describe('a request', () => {
  it('times out while it waits for one that hangs', async () => {
    const open = vi.fn(async (_origin: string, signal: AbortSignal): Promise<never> => {
      await once(signal, 'abort');
      signal.throwIfAborted();
      throw new Error('aborted without a reason');
    });
    const connections = new Connections({ open, onConnect: () => undefined, perOrigin: 1, idle: 0 });
    const send = (timeoutMs: number) =>
      connections
        .send({ origin: 'https://a.test', bytes: Buffer.from('POST'), timeoutMs })
        .catch((reason: unknown) => reason);
    const hangs = send(60_000);
    const waiting = Promise.all([send(300), send(300)]);
    await vi.advanceTimersByTimeAsync(300);
    expect(await waiting).toEqual([expect.any(DeadlineExceeded), expect.any(DeadlineExceeded)]);
    expect(open).toHaveBeenCalledOnce();
    connections.close();
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
