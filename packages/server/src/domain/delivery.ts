/**
 * What an attempt means for a webhook: outcome → step. The ten-in-a-row rule (source 6.4), the spaced retries, and the
 * rule for an event that one endpoint refuses again and again. Pure: time and chance are passed in.
 */
import { limits, type DeliveryFailure } from '@bot-directory/contract';

/** What came of one POST, as far as it matters here. `ours`: the fault is this side's. */
export type AttemptOutcome =
  | { readonly outcome: 'delivered' }
  | {
      readonly outcome: 'failed';
      readonly failure: DeliveryFailure;
      readonly ours: boolean;
      readonly status?: number;
      readonly retryAfterMs?: number;
    };

/** Where a webhook stands while it is leased. */
export type Progress = {
  /** The number of the last event it has. */
  readonly cursor: number;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Failures in a row when it was last waited for. */
  readonly failuresAtWait: number;
  /** Set while the event after the refused one is tried. */
  readonly probing: boolean;
};

/** What to do next. Every step carries the progress that it leaves. */
export type Step = { readonly progress: Progress } & (
  | { readonly step: 'advance' }
  /** The event after the cursor's next was taken: that one is skipped, and both are behind the cursor now. */
  | { readonly step: 'skip'; readonly skipped: number }
  /** Try the event after the one that was just refused, at once. */
  | { readonly step: 'probe' }
  | { readonly step: 'wait'; readonly delayMs: number; readonly failure: DeliveryFailure }
  /** Not the receiver's fault: try again soon, and count nothing. */
  | { readonly step: 'again'; readonly delayMs: number; readonly failure: DeliveryFailure }
  | { readonly step: 'stop'; readonly failure: DeliveryFailure }
);

/** What a decision depends on besides the outcome. `random`: 0 … 1. */
export type Circumstances = {
  readonly retryDelaysMs: readonly number[];
  readonly hasNextEvent: boolean;
  readonly random: number;
};

/** Failures in a row from which on an event that is refused by status is suspected. */
const suspectFrom = 6;
const ownFaultDelayMs = 5_000;
const jitter = 0.1;

/** The number of the event that is to be sent. */
export const eventToSend = ({ cursor, probing }: Progress): number => cursor + (probing ? 2 : 1);

/** Decides what an attempt's outcome leads to. */
export const decide = (progress: Progress, outcome: AttemptOutcome, circumstances: Circumstances): Step => {
  if (outcome.outcome === 'delivered') return delivered(progress);
  const { failure } = outcome;
  if (outcome.ours)
    return {
      step: 'again',
      failure,
      delayMs: spread(ownFaultDelayMs, circumstances.random),
      progress: { ...progress, probing: false },
    };

  const failures = progress.failures + 1;
  const left = { ...progress, failures, probing: false };
  if (failures >= limits.failuresInARow) return { step: 'stop', failure, progress: left };
  // An endpoint that answers, but refuses: is it this event? Asked right after its refusal, so that an endpoint which
  // has just recovered is never taken for one that refuses.
  if (!progress.probing && failure === 'status' && failures >= suspectFrom && circumstances.hasNextEvent) {
    return { step: 'probe', progress: { ...left, probing: true } };
  }
  return {
    step: 'wait',
    failure,
    delayMs: waitAfter(failures, progress.failuresAtWait, { outcome, circumstances }),
    progress: { ...left, failuresAtWait: failures },
  };
};

const delivered = ({ cursor, probing }: Progress): Step => {
  const fresh = { failures: 0, failuresAtWait: 0, probing: false };
  if (probing) return { step: 'skip', skipped: cursor + 1, progress: { cursor: cursor + 2, ...fresh } };
  return { step: 'advance', progress: { cursor: cursor + 1, ...fresh } };
};

/** All delays since the last wait together: a probe costs no time off the whole span. */
const waitAfter = (
  failures: number,
  failuresAtWait: number,
  { outcome, circumstances }: { outcome: { readonly retryAfterMs?: number }; circumstances: Circumstances },
): number => {
  const { retryDelaysMs, random } = circumstances;
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
  const date = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
};
