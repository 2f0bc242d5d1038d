import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog, type Log } from '../base/log.ts';
import { createOutageLog, isOnlyCounted } from './outages.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns a log, and what it was given. */
const watched = () => {
  const lines: unknown[] = [];
  const log: Log = createLog('silent');
  log.warn = (...line: unknown[]) => void lines.push(line);
  return { log, lines };
};

it('logs the first failure of each cause, and their number once no request has failed for ten seconds', () => {
  const { log, lines } = watched();
  const logOutage = createOutageLog(log);
  const fail = (code: string, reason: string): boolean => {
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    logOutage(res, { code, reason, request_id: 'r' });
    return isOnlyCounted(res);
  };
  expect([fail('a', 'down'), fail('a', 'down'), fail('a', 'slow'), fail('b', 'down')]).toEqual([
    false,
    true,
    false,
    false,
  ]);
  vi.advanceTimersByTime(9_999);
  expect(fail('a', 'slow')).toBe(true);
  vi.advanceTimersByTime(9_999);
  const first = { request_id: 'r' };
  expect(lines).toEqual([
    [{ ...first, code: 'a', reason: 'down' }, 'not served'],
    [{ ...first, code: 'a', reason: 'slow' }, 'not served'],
    [{ ...first, code: 'b', reason: 'down' }, 'not served'],
    [{ code: 'b', requests: 1, reasons: ['down'] }, 'no request fails like this any more'],
  ]);
  vi.advanceTimersByTime(1);
  expect(lines.at(-1)).toEqual([
    { code: 'a', requests: 4, reasons: ['down', 'slow'] },
    'no request fails like this any more',
  ]);
  // The next outage has lines of its own.
  expect(fail('a', 'down')).toBe(false);
});

it('gives only so many causes a line', () => {
  const { log, lines } = watched();
  const logOutage = createOutageLog(log);
  for (let reason = 0; reason < 100; reason += 1)
    logOutage(new ServerResponse(new IncomingMessage(new Socket())), {
      code: 'a',
      reason: String(reason),
      request_id: 'r',
    });
  expect(lines).toHaveLength(5);
});
