/**
 * An attempt as its webhook's owner sees it, and as it is stored: its time in milliseconds, which the store adds, its
 * status or the first letters of its failure, and how long it took. All have the same length, so that a script can cut
 * off the oldest.
 */
import { deliveryFailures, type DeliveryFailure } from '@bot-directory/contract';

/** `failure`: undefined if it was accepted. `atMs`: when its result was saved, by the store's clock. */
export type Attempt = {
  readonly atMs: number;
  readonly status: number | undefined;
  readonly failure: DeliveryFailure | undefined;
  readonly durationMs: number;
};

const timeDigits = 13;
const resultLength = 3;
const durationDigits = 5;
const length = timeDigits + resultLength + durationDigits;
const longestMs = 10 ** durationDigits - 1;

/** An attempt without its time, as it is stored. */
export const attemptText = ({ status, failure, durationMs }: Omit<Attempt, 'atMs'>): string => {
  const result = String(status ?? failure).slice(0, resultLength);
  return result + String(Math.min(Math.round(durationMs), longestMs)).padStart(durationDigits, '0');
};

/** Parses the attempts of a webhook. */
export const parseAttempts = (stored: string | null): Attempt[] =>
  Array.from({ length: Math.floor((stored ?? '').length / length) }, (_, i) =>
    attemptFrom((stored ?? '').slice(i * length, (i + 1) * length)),
  );

const attemptFrom = (text: string): Attempt => {
  const result = text.slice(timeDigits, timeDigits + resultLength);
  const status = /^\d/.test(result) ? Number(result) : undefined;
  const failure = status === undefined ? deliveryFailures.find((one) => one.startsWith(result)) : 'status';
  return {
    atMs: Number(text.slice(0, timeDigits)),
    status,
    failure: status !== undefined && status >= 200 && status < 300 ? undefined : failure,
    durationMs: Number(text.slice(timeDigits + resultLength)),
  };
};
