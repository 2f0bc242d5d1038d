import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectFirst, createTlsSessions } from './open-connection.ts';

const fault = (code: string): Error => Object.assign(new Error(code), { code });

/** Attempts whose results the test decides. */
class Attempt extends EventEmitter {
  isDestroyed = false;
  destroy(): void {
    this.isDestroyed = true;
  }
}

/** Begins a race; `attempts` are those begun so far, by address. */
const race = (...addresses: string[]) => {
  const attempts = new Map<string, Attempt>();
  const stop = new AbortController();
  const connect = (address: string): Socket => {
    const attempt = new Attempt();
    attempts.set(address, attempt);
    return attempt as unknown as Socket;
  };
  const winner = connectFirst(addresses, connect, stop.signal).then(
    (socket) => [...attempts].find(([, attempt]) => attempt === (socket as unknown))?.[0],
    (error: unknown) => error,
  );
  const begun = (): string[] => [...attempts.keys()];
  const say = (address: string, ...event: [string, Error?]): void => void attempts.get(address)?.emit(...event);
  return { attempts, begun, say, winner, stop };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a race of connection attempts', () => {
  it('begins another after a moment, and gives none up before one succeeds', async () => {
    const { attempts, begun, say, winner } = race('192.0.2.1', '192.0.2.2', '192.0.2.3');
    expect(begun()).toEqual(['192.0.2.1']);
    vi.advanceTimersByTime(249);
    expect(begun()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(begun()).toHaveLength(2);
    vi.advanceTimersByTime(9_000);
    expect(begun()).toHaveLength(3);
    expect([...attempts.values()].map(({ isDestroyed }) => isDestroyed)).toEqual([false, false, false]);
    say('192.0.2.1', 'connect');
    expect(await winner).toBe('192.0.2.1');
    expect([...attempts.values()].map(({ isDestroyed }) => isDestroyed)).toEqual([false, true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins another at once when one fails', async () => {
    const { begun, say, winner } = race('192.0.2.1', '192.0.2.2');
    say('192.0.2.1', 'error', fault('ECONNREFUSED'));
    expect(begun()).toEqual(['192.0.2.1', '192.0.2.2']);
    say('192.0.2.2', 'connect');
    expect(await winner).toBe('192.0.2.2');
  });

  it('alternates between the families', () => {
    const { begun } = race('192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '2001:db8::2');
    vi.advanceTimersByTime(1_000);
    expect(begun()).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.2', '2001:db8::2', '192.0.2.3']);
  });

  it('loses no time with a family without a route, and waits for the other', async () => {
    const { begun, say, winner } = race('2001:db8::1', '192.0.2.1');
    say('2001:db8::1', 'error', fault('ENETUNREACH'));
    expect(begun()).toHaveLength(2);
    vi.advanceTimersByTime(9_000);
    say('192.0.2.1', 'connect');
    expect(await winner).toBe('192.0.2.1');
  });

  it.each([
    [['ENETUNREACH', 'ECONNREFUSED'], 'ECONNREFUSED'],
    [['ECONNREFUSED', 'ENETUNREACH'], 'ECONNREFUSED'],
    [['ECONNRESET', 'ECONNREFUSED'], 'ECONNRESET'],
    [['ENETUNREACH', 'EHOSTUNREACH'], 'EHOSTUNREACH'],
  ])('that nobody wins ends when all have failed, with what says most: %j', async (codes, code) => {
    const { say, winner } = race('192.0.2.1', '2001:db8::1');
    say('192.0.2.1', 'error', fault(codes[0] ?? ''));
    say('2001:db8::1', 'error', fault(codes[1] ?? ''));
    expect(await winner).toMatchObject({ code });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when it is stopped', async () => {
    const { attempts, begun, winner, stop } = race('192.0.2.1', '192.0.2.2', '192.0.2.3');
    vi.advanceTimersByTime(250);
    stop.abort(fault('late'));
    expect(await winner).toMatchObject({ message: 'late' });
    vi.advanceTimersByTime(1_000);
    expect(begun()).toHaveLength(2);
    expect([...attempts.values()].every(({ isDestroyed }) => isDestroyed)).toBe(true);
  });

  it('has eight participants at most: a name may have thousands of addresses', async () => {
    const { begun, say, winner } = race(...Array.from({ length: 250 }, (_, i) => `192.0.2.${i}`));
    for (let i = 0; i < 8; i += 1) say(`192.0.2.${i}`, 'error', fault('ECONNREFUSED'));
    expect(await winner).toMatchObject({ code: 'ECONNREFUSED' });
    expect(begun()).toHaveLength(8);
  });
});

it('finds the TLS session of an origin for a day after its certificate was verified', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const hourMs = 3_600_000;
  const sessions = createTlsSessions();
  sessions.set('https://a.test', Buffer.alloc(1_000));
  vi.advanceTimersByTime(23 * hourMs);
  const first = sessions.get('https://a.test');
  expect(first).toBeDefined();
  expect(sessions.get('https://b.test')).toBeUndefined();
  // A session from a resumed one counts as verified when that one was.
  sessions.set('https://a.test', Buffer.alloc(1_000), first);
  vi.advanceTimersByTime(hourMs);
  expect(sessions.get('https://a.test')).toBeUndefined();
  vi.useRealTimers();
});
