import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nowMs, retryAfterCases } from '../../contract/test/retry-after-cases.ts';
import { AbortedError, ApiError, DecodeError, NetworkError, TimeoutError } from './errors.ts';
import { isTransient, mayHaveSucceeded, parseRetryAfter, retryDelayMs } from './retry.ts';

const context = { operation: 'submitBot', attempts: 1 };
const response = new Response();
const problem = (code: string) => ({ type: 't', title: 't', status: 0, detail: 'd', request_id: 'r', code });
const apiError = (status: number, code?: string) =>
  new ApiError(context, {
    problem: code === undefined ? undefined : problem(code),
    response: new Response(null, { status }),
    text: '',
    retryAfterMs: undefined,
  });

/** Makes an error like those of Node's fetch. */
const failedWith = (code: string) =>
  new NetworkError(context, new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));

describe('a failure', () => {
  it.each([
    [apiError(408), true, false],
    [apiError(425), true, false],
    [apiError(429, 'rate_limited'), true, false],
    [apiError(429, 'too_many_webhooks'), false, false],
    [apiError(500, 'internal_error'), true, true],
    [apiError(501), false, true],
    [apiError(502), true, true],
    [apiError(503, 'store_unavailable'), true, true],
    [apiError(503, 'saving_not_configured'), false, false],
    [apiError(503, 'template_provider_unavailable'), true, false],
    [apiError(503, 'submissions_closed'), true, false],
    [apiError(504), true, true],
    [apiError(400, 'invalid_request'), false, false],
    [apiError(404, 'bot_not_found'), false, false],
    [apiError(409, 'bot_exists'), false, false],
    [new NetworkError(context, 'reset'), true, true],
    [failedWith('ECONNRESET'), true, true],
    [failedWith('ECONNREFUSED'), true, false],
    [failedWith('ENOTFOUND'), true, false],
    [failedWith('EAI_AGAIN'), true, false],
    [new TimeoutError(context, 'timeoutMs', 1), true, true],
    [new AbortedError(context, 'stop'), false, false],
    [new DecodeError(context, { response, text: '' }), false, false],
    [new TypeError('a mistake'), false, false],
  ])('%s: transient %s, may have succeeded %s', (error, transient, ambiguous) => {
    expect(isTransient(error)).toBe(transient);
    expect(mayHaveSucceeded(error)).toBe(ambiguous);
  });
});

describe('the delay', () => {
  it('has full jitter: anything from nothing to a limit that doubles up to 8 s', () => {
    expect([1, 2, 3, 4, 5, 6, 60].map((failures) => retryDelayMs(failures, 1))).toEqual([
      500, 1000, 2000, 4000, 8000, 8000, 8000,
    ]);
    expect(retryDelayMs(3, 0)).toBe(0);
    expect(retryDelayMs(3, 0.5)).toBe(1000);
  });
  it('is never shorter than the server asked for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, asked, random) => {
          const delay = retryDelayMs(failures, random, asked);
          expect(delay).toBeGreaterThanOrEqual(asked);
          expect(delay).toBeLessThanOrEqual(asked + 8000);
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  it.each(retryAfterCases)('%j is %j ms', (header, expected) => {
    const headers = new Headers(header === undefined ? {} : { 'retry-after': header });
    expect(parseRetryAfter(headers.get('retry-after'), nowMs)).toBe(expected);
  });
});
