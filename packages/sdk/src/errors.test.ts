import { describe, expect, it, vi } from 'vitest';
import * as ours from './errors.ts';

const context = { operation: 'submitBot', attempts: 2 };
const response = new Response(null, { status: 502, statusText: 'Bad Gateway', headers: { 'x-request-id': 'req_1' } });

const makeAll = ({ ApiError, NetworkError, TimeoutError, AbortedError, DecodeError }: typeof ours) => ({
  ApiError: new ApiError(context, { problem: undefined, response, text: '', retryAfterMs: undefined }),
  NetworkError: new NetworkError(context, new Error('reset')),
  TimeoutError: new TimeoutError(context, 'timeoutMs', 300),
  AbortedError: new AbortedError(context, 'stop'),
  DecodeError: new DecodeError(context, { response, text: '<html>' }),
});

/** Makes an error whose causes form a cycle. */
const selfCaused = (length: number): Error => {
  const errors = Array.from({ length }, () => new Error('loop'));
  errors.forEach((error, index) => (error.cause = errors[(index + 1) % length]));
  return errors[0] ?? new Error('loop');
};

const kinds = ['ApiError', 'NetworkError', 'TimeoutError', 'AbortedError', 'DecodeError'] as const;

describe('instanceof', () => {
  it.each(kinds)('distinguishes %s from the others, in this copy and in another', async (kind) => {
    vi.resetModules();
    const copy = await import('./errors.ts');
    expect(copy.ApiError).not.toBe(ours.ApiError);
    for (const [here, there] of [
      [ours, ours],
      [ours, copy],
      [copy, ours],
    ] as const) {
      const error = makeAll(there)[kind];
      expect(error).toBeInstanceOf(Error);
      expect(error instanceof here.BotDirectoryError).toBe(true);
      expect(kinds.filter((other) => error instanceof here[other])).toEqual([kind]);
      expect(error.name).toBe(kind);
    }
  });

  it.each([null, undefined, 7, 'ApiError', {}, new Error('x'), Object.create(null)])('is false for %o', (value) => {
    expect((value as unknown) instanceof ours.BotDirectoryError).toBe(false);
    expect((value as unknown) instanceof ours.ApiError).toBe(false);
  });

  it("holds for a caller's own subclass only if that class made the error", () => {
    class Mine extends ours.NetworkError {}
    expect(new Mine(context, 'x')).toBeInstanceOf(Mine);
    expect(new Mine(context, 'x') instanceof ours.NetworkError).toBe(true);
    expect(new ours.NetworkError(context, 'x') instanceof Mine).toBe(false);
  });
});

describe('an error', () => {
  it('says which call failed, how, and after how many attempts', () => {
    const all = makeAll(ours);
    expect(Object.values(all).map((error) => error.message)).toEqual([
      'submitBot: 502 Bad Gateway',
      'submitBot: no answer (reset)',
      'submitBot: no whole answer within 300 ms (timeoutMs)',
      'submitBot: aborted by the caller',
      'submitBot: 502 with an unreadable body (is baseUrl right? It has no /api)',
    ]);
    expect(Object.values(all).map((error) => error.code)).toEqual(['http', 'network', 'timeout', 'aborted', 'decode']);
    expect(Object.values(all).every((error) => error.attempts === 2 && error.operation === 'submitBot')).toBe(true);
    expect(all.ApiError.requestId).toBe('req_1');
    expect(all.AbortedError.cause).toBe('stop');
  });

  it.each([
    ['an error that is its own cause', selfCaused(1), 'loop'],
    ['two errors that cause each other', selfCaused(2), 'loop'],
    ['an object without a prototype', Object.create(null), 'unknown'],
    ['an error of another realm', { message: 'gone' }, 'gone'],
    ['nothing', undefined, 'undefined'],
    [
      'a code below it all',
      new TypeError('x', { cause: Object.assign(new Error('y'), { code: 'ECONNRESET' }) }),
      'ECONNRESET',
    ],
  ])('can be made of %s', (_name, cause, reason) => {
    const error = new ours.NetworkError(context, cause);
    expect(error.message).toBe(`submitBot: no answer (${reason})`);
    expect(error.cause).toBe(cause);
  });
});
