/** When to try again, and after how long. Pure: the caller brings the clock and the dice. */
import { ApiError, NetworkError, TimeoutError } from './errors.ts';

const retriedStatuses = [408, 425, 429, 500, 502, 503, 504];
// Neither a missing store nor a full host mends itself while a caller waits.
const finalCodes = /^(saving_not_configured|too_many_webhooks)$/;
// With these the server says that it has saved nothing. `store_unavailable` does not: the store may have, unheard.
const nothingSavedCodes = /^(saving_not_configured|template_provider_unavailable)$/;
const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** Whether another attempt may fare better. Every operation is safe to repeat, so only the failure decides. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError
    ? retriedStatuses.includes(error.status) && !finalCodes.test(error.code ?? '')
    : error instanceof NetworkError || error instanceof TimeoutError;

/** Whether the server may have carried out the request although it reported no success. */
export const mayHaveSucceeded = (error: unknown): boolean =>
  error instanceof ApiError ? error.status >= 500 && !nothingSavedCodes.test(error.code ?? '') : isTransient(error);

/**
 * Milliseconds to wait after failure number `failures` (from 1): what the server asked for, and full jitter on top, so
 * that those it asked the same of don't come back as one.
 */
export const retryDelayMs = (failures: number, askedMs: number | undefined, random: number): number =>
  (askedMs ?? 0) + random * Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1));

/** `Retry-After` (RFC 9110, 10.2.3: seconds or a date) in milliseconds from `now`; undefined when absent or unreadable. */
export const parseRetryAfter = (value: string | null, now: number): number | undefined => {
  const text = value ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(/GMT$/.test(text) ? text : '') - now;
  // Neither is true of NaN.
  return ms >= 0 ? ms : ms < 0 ? 0 : undefined;
};
