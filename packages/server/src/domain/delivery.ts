/**
 * What an attempt means for a webhook: outcome → decision. It contains the ten-in-a-row rule, the spaced retries, and
 * the rule for an event that one endpoint refuses again and again (docs/decisions/0004-poison-event.md). Pure: time and
 * randomness are passed in, and event numbers are only compared.
 */
import { limits, type DeliveryFailure } from '@bot-directory/contract';

/** The outcome of one POST, as far as it matters here. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'failed';
      readonly failure: DeliveryFailure;
      /** There is evidence that the fault is on our side. */
      readonly isOurs: boolean;
      /** The response rejects the content, not the moment or the caller. */
      readonly refusesContent: boolean;
      readonly retryAfterMs?: number;
    };

/** How far a webhook has got, while it is leased. */
export type Progress = {
  /** The number of the last event it has. */
  readonly cursor: number;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Failures in a row when it was last waited for. */
  readonly failuresAtWait: number;
  /** Attempts in a row that failed through our own fault: they affect only the next delay. */
  readonly ownFaults: number;
  /** A suspected event, by its number; once the event after it was taken, that event's number too. */
  readonly suspect?: { readonly number: number; readonly taken?: number };
};

/** What to do next. Every decision carries the resulting progress. */
export type Decision = { readonly progress: Progress } & (
  | { readonly kind: 'advance' }
  /** The event after it was taken, and it was refused once more: it is given up, and the cursor moves past both. */
  | { readonly kind: 'skip'; readonly skipped: number }
  /** Continue at once with what `eventAfter` says; if there is no time for that, wait as for the failure before it. */
  | ({ readonly kind: 'suspect' } & Wait)
  | ({ readonly kind: 'wait' } & Wait)
  | { readonly kind: 'stop'; readonly failure: DeliveryFailure }
);

type Wait = { readonly delayMs: number; readonly failure: DeliveryFailure };

/** What a decision depends on besides the outcome. `random`: 0 … 1. */
export type Circumstances = {
  readonly retryDelaysMs: readonly number[];
  /** The number of the event that was sent. */
  readonly sent: number;
  readonly hasNextEvent: boolean;
  readonly random: number;
};

/** From this many failures in a row on, an event whose content is refused is suspected. */
const suspectFrom = 6;
const firstOwnFaultDelayMs = 5_000;
const longestOwnFaultDelayMs = 120_000;
const jitter = 0.1;

/**
 * Statuses that reject the content: Bad Request, Content Too Large, Unsupported Media Type, Unprocessable Content. All
 * others concern the endpoint, the caller or the moment, and would apply to any event.
 */
const contentStatuses: readonly number[] = [400, 413, 415, 422];

/** Whether a response rejects the content. One that says when to retry does not. */
export const refusesContent = (status: number | undefined, retryAfter: string | undefined): boolean =>
  status !== undefined && contentStatuses.includes(status) && retryAfter === undefined;

/** The next event to send is the first whose number is above this one. */
export const eventAfter = ({ cursor, suspect }: Progress): number =>
  suspect !== undefined && suspect.taken === undefined ? suspect.number : cursor;

/** Decides what follows from an attempt's outcome. */
export const decide = (progress: Progress, outcome: AttemptOutcome, circumstances: Circumstances): Decision => {
  if (outcome.kind === 'delivered') return afterSuccess(progress, circumstances);
  const { suspect, ...rest } = progress;
  if (outcome.isOurs) return afterOwnFault(rest, outcome.failure, circumstances.random);
  if (suspect?.taken !== undefined && outcome.refusesContent)
    return { kind: 'skip', skipped: suspect.number, progress: fresh(suspect.taken) };
  return afterFailure({ ...rest, failures: rest.failures + 1, ownFaults: 0 }, outcome, {
    ...circumstances,
    isSuspecting: suspect !== undefined,
  });
};

/** The progress of a webhook that has the event with this number, and has not failed since. */
export const fresh = (cursor: number): Progress => ({ cursor, failures: 0, failuresAtWait: 0, ownFaults: 0 });

const afterSuccess = (progress: Progress, circumstances: Circumstances): Decision => {
  const { suspect } = progress;
  const { sent } = circumstances;
  if (suspect === undefined) return { kind: 'advance', progress: fresh(sent) };
  // The suspect was taken in the end, after its successor.
  if (suspect.taken !== undefined) return { kind: 'advance', progress: fresh(suspect.taken) };
  // Tried once more before it is given up: the endpoint may have recovered between the two.
  return {
    kind: 'suspect',
    failure: 'status',
    delayMs: waitAfter(progress, {}, circumstances),
    progress: { ...progress, suspect: { ...suspect, taken: sent } },
  };
};

const afterOwnFault = (progress: Progress, failure: DeliveryFailure, random: number): Decision => {
  const delayMs = Math.min(firstOwnFaultDelayMs * 2 ** progress.ownFaults, longestOwnFaultDelayMs);
  return {
    kind: 'wait',
    failure,
    delayMs: spread(delayMs, random),
    progress: { ...progress, ownFaults: progress.ownFaults + 1 },
  };
};

const afterFailure = (
  progress: Progress,
  outcome: AttemptOutcome & { kind: 'failed' },
  circumstances: Circumstances & { isSuspecting: boolean },
): Decision => {
  const { failures } = progress;
  const { failure } = outcome;
  if (failures >= limits.failuresInARow) return { kind: 'stop', failure, progress };
  const wait = { failure, delayMs: waitAfter(progress, outcome, circumstances) };
  // The endpoint responds, but refuses: is this event the cause? The next event is sent right after the refusal, so
  // that an endpoint that has just recovered does not look like one that refuses this event.
  const isSuspect =
    !circumstances.isSuspecting && outcome.refusesContent && failures >= suspectFrom && circumstances.hasNextEvent;
  if (isSuspect)
    return { kind: 'suspect', ...wait, progress: { ...progress, suspect: { number: circumstances.sent } } };
  return { kind: 'wait', ...wait, progress: { ...progress, failuresAtWait: failures } };
};

/** The sum of all delays since the last wait: an attempt made at once takes no time off the whole span. */
const waitAfter = (
  { failures, failuresAtWait }: Progress,
  outcome: { readonly retryAfterMs?: number },
  { retryDelaysMs, random }: Circumstances,
): number => {
  const scheduled = retryDelaysMs.slice(failuresAtWait, failures).reduce((sum, delay) => sum + delay, 0);
  const asked = Math.min(outcome.retryAfterMs ?? 0, retryDelaysMs[failures] ?? scheduled);
  return Math.max(spread(scheduled, random), asked);
};

const spread = (delayMs: number, random: number): number => Math.round(delayMs * (1 - jitter + 2 * jitter * random));

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110 §10.2.3). `undefined` when it says nothing. */
export const parseRetryAfter = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
};
