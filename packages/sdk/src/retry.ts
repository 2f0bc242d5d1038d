/** When to retry, and after how long. Pure: the caller brings the clock and the random number. */
import { ApiError, NetworkError, reasonOf, TimeoutError } from './errors.ts';

const retriedStatuses = [408, 425, 429, 500, 502, 503, 504];
// A missing store or a full host does not recover while a caller waits.
const finalCodes = /^(saving_not_configured|too_many_webhooks)$/;
// With these the server says that it saved nothing. `store_unavailable` does not: the store may have saved it.
const nothingSavedCodes = /^(saving_not_configured|submissions_closed|template_provider_unavailable)$/;
// With these there was no connection to send anything on.
const unsentCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
const firstDelayMs = 500;
const longestDelayMs = 8_000;

/**
 * Returns whether another attempt may succeed. Every operation is safe to repeat, and two reports are better than none,
 * so only the error decides.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError
    ? retriedStatuses.includes(error.status) && !finalCodes.test(error.code)
    : error instanceof NetworkError || error instanceof TimeoutError;

/** Returns whether the server may have carried out the request although it did not report success. */
export const mayHaveSucceeded = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.status >= 500 && !nothingSavedCodes.test(error.code)
    : isTransient(error) && !unsentCodes.test(reasonOf(error));

/**
 * Returns the milliseconds to wait after failure number `failures` (from 1): what the server asked for, plus full
 * jitter, so that clients with the same delay do not all return at once.
 */
export const retryDelayMs = (failures: number, random: number, askedMs = 0): number =>
  askedMs + random * Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1));

/**
 * Converts `Retry-After` (RFC 9110, 10.2.3: seconds, perhaps with a fraction, or a date in GMT) to milliseconds from
 * `now`; undefined when absent or unreadable.
 */
export const parseRetryAfter = (value: string | null, now: number): number | undefined => {
  const text = String(value);
  const ms = /^\d{1,9}(\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : Date.parse(/GMT$/.test(text) ? text : '') - now;
  // NaN fails both comparisons.
  return ms >= 0 ? ms : ms < 0 ? 0 : undefined;
};
