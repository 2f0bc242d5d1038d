/**
 * What an attempt means for a webhook: outcome → decision. It contains the ten-in-a-row rule, the spaced retries, and
 * the rule for a poison event, which one endpoint refuses again and again (decision 0004). Pure: time and randomness are
 * passed in, and event numbers are only compared.
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
  /** Whether the event after the cursor is a poison event, or the endpoint is at fault: the evidence so far. */
  readonly probe?: Probe;
};

/**
 * The probe of an endpoint that refused one event again and again, the candidate: it and later events are sent in
 * random order. `accepted` and `refused` count the sends since the last one that contradicted its being poison.
 */
export type Probe = {
  readonly candidate: number;
  /** Later events that were sent end here; at first, at the candidate. */
  readonly last: number;
  /** Without the candidate, the webhook has all events up to here. */
  readonly settled: number;
  readonly accepted: number;
  readonly refused: number;
  /** How the candidate was refused last. */
  readonly failure: DeliveryFailure;
  readonly refusesContent: boolean;
  /** What is sent next. `retry`: the candidate after a wait, which counts for nothing, and then a later event. */
  readonly next: 'candidate' | 'later' | 'retry';
};

/** What to do next. Every decision carries the resulting progress. */
export type Decision = { readonly progress: Progress } & (
  | { readonly kind: 'advance' }
  /** The event that was sent is given up: the endpoint refuses it and accepts others. */
  | { readonly kind: 'skip'; readonly failure: DeliveryFailure }
  /** Continue at once with what `eventAfter` says. */
  | { readonly kind: 'probe'; readonly failure: DeliveryFailure }
  | { readonly kind: 'wait'; readonly failure: DeliveryFailure; readonly delayMs: number }
  | { readonly kind: 'stop'; readonly failure: DeliveryFailure }
);

/** What a decision depends on besides the outcome. `random`: 0 … 1. */
export type Circumstances = {
  readonly retryDelaysMs: readonly number[];
  /** The number of the event that was sent. */
  readonly sent: number;
  /** The number of the last event. */
  readonly head: number;
  readonly random: number;
};

/** From this many failures in a row on, the endpoint is probed. */
const probeFrom = 6;
/**
 * So many sends prove the event's fault. A coin chooses each but the first, so an endpoint whose responses do not
 * depend on the event matches the coin half of the time, whatever its pattern: it passes once in 2^19 probes.
 */
const sendsOfProof = 20;
const firstOwnFaultDelayMs = 5_000;
const longestOwnFaultDelayMs = 120_000;
/** After so many in a row, about 33 hours, faults of our own count, so that no endpoint is called forever. */
const mostOwnFaults = 1_000;
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
export const eventAfter = ({ cursor, probe }: Progress): number => (probe?.next === 'later' ? probe.last : cursor);

/** Decides what follows from an attempt's outcome. */
export const decide = (progress: Progress, outcome: AttemptOutcome, circumstances: Circumstances): Decision => {
  const { sent, random } = circumstances;
  if (outcome.kind === 'failed' && outcome.isOurs && progress.ownFaults < mostOwnFaults)
    return afterOwnFault(progress, outcome.failure, random);
  const { probe: known, ...rest } = progress;
  if (known?.next === 'later')
    return outcome.kind === 'delivered'
      ? afterLaterAccepted(rest, known, circumstances)
      : afterLaterRefused(rest, known, { ...circumstances, ...outcome });
  // The operator may have withdrawn the candidate.
  const probe = known?.candidate === sent ? known : undefined;
  return outcome.kind === 'delivered'
    ? { kind: 'advance', progress: fresh(probe?.settled ?? sent) }
    : afterFailure(rest, probe, { ...circumstances, ...outcome });
};

/** The progress of a webhook that has the event with this number, and has not failed since. */
export const fresh = (cursor: number): Progress => ({ cursor, failures: 0, failuresAtWait: 0, ownFaults: 0 });

/** The progress when nothing up to this number is wanted after the event that was sent last. */
export const passed = ({ probe, ...progress }: Progress, through: number): Progress => {
  if (probe?.next !== 'later') return { ...progress, ...(probe && { probe }), cursor: through };
  const settled = probe.settled === probe.last ? through : probe.settled;
  return { ...progress, probe: { ...probe, settled, last: through } };
};

/** Waits, because the later event that the probe needs is not there. */
export const withoutLater = (
  progress: Progress & { readonly probe: Probe },
  circumstances: Pick<Circumstances, 'retryDelaysMs' | 'random'>,
): Decision & { kind: 'wait' } =>
  waitWith(progress, progress.probe, { ...circumstances, failure: progress.probe.failure });

type WithoutProbe = Omit<Progress, 'probe'>;
type Failed = AttemptOutcome & { readonly kind: 'failed' };

const afterLaterAccepted = (progress: WithoutProbe, probe: Probe, circumstances: Circumstances): Decision => {
  const { sent } = circumstances;
  const settled = probe.settled === probe.last ? sent : probe.settled;
  const evidence = { ...probe, last: sent, settled, accepted: probe.accepted + 1 };
  return probe.refusesContent ? sendCandidate(progress, evidence) : toss(progress, evidence, circumstances);
};

/** The evidence is void, because the endpoint refuses others too. The next later event is the one after this. */
const afterLaterRefused = (progress: WithoutProbe, probe: Probe, failed: Failed & Circumstances): Decision =>
  waitOrStop(counted(progress, probe), { ...probe, last: failed.sent, accepted: 0, refused: 0 }, failed);

const afterFailure = (before: WithoutProbe, probe: Probe | undefined, failed: Failed & Circumstances): Decision => {
  const { failure, refusesContent, retryAfterMs } = failed;
  const progress = counted(before, probe);
  if (progress.failures < probeFrom) return waitOrStop(progress, undefined, failed);
  const judged = { ...(probe ?? probeOf(failed.sent)), failure, refusesContent };
  if (progress.failures >= limits.failuresInARow || retryAfterMs !== undefined)
    return waitOrStop(progress, judged, failed);
  if (probe?.next !== 'candidate') return sendLater(progress, judged, failed);
  const evidence = { ...judged, refused: judged.refused + 1 };
  if (isProven(evidence, probe)) return { kind: 'skip', failure, progress: fresh(evidence.settled) };
  return refusesContent ? sendLater(progress, evidence, failed) : toss(progress, evidence, failed);
};

/** A response that rejects the content, before and after a later event was accepted, is proof enough. */
const isProven = ({ accepted, refused, refusesContent }: Probe, before: Probe): boolean =>
  accepted + refused >= sendsOfProof || (refusesContent && before.refusesContent);

const probeOf = (candidate: number) =>
  ({ candidate, last: candidate, settled: candidate, accepted: 0, refused: 0, next: 'retry' }) as const;

/** Chooses what is sent next. */
const toss = (progress: WithoutProbe, probe: Probe, circumstances: Circumstances): Decision =>
  circumstances.random < 0.5 ? sendCandidate(progress, probe) : sendLater(progress, probe, circumstances);

const sendCandidate = (progress: WithoutProbe, probe: Probe): Decision => ({
  kind: 'probe',
  failure: probe.failure,
  progress: { ...progress, probe: { ...probe, next: 'candidate' } },
});

const sendLater = (progress: WithoutProbe, probe: Probe, circumstances: Circumstances): Decision => {
  const { failure } = probe;
  if (probe.last >= circumstances.head) return waitWith(progress, probe, { ...circumstances, failure });
  return { kind: 'probe', failure, progress: { ...progress, probe: { ...probe, next: 'later' } } };
};

/** Counts one more failure in a row, unless the endpoint has accepted a later event in between. */
const counted = (progress: WithoutProbe, probe: Probe | undefined): WithoutProbe => ({
  ...progress,
  failures: progress.failures + (probe !== undefined && probe.accepted > 0 ? 0 : 1),
  ownFaults: progress.ownFaults < mostOwnFaults ? 0 : progress.ownFaults,
});

const afterOwnFault = (progress: Progress, failure: DeliveryFailure, random: number): Decision => {
  const delayMs = Math.min(firstOwnFaultDelayMs * 2 ** progress.ownFaults, longestOwnFaultDelayMs);
  return {
    kind: 'wait',
    failure,
    delayMs: spread(delayMs, random),
    progress: { ...progress, ownFaults: progress.ownFaults + 1 },
  };
};

const waitOrStop = (progress: WithoutProbe, probe: Probe | undefined, failed: Failed & Circumstances): Decision =>
  progress.failures >= limits.failuresInARow
    ? { kind: 'stop', failure: failed.failure, progress }
    : waitWith(progress, probe, failed);

type Wait = Pick<Failed, 'failure' | 'retryAfterMs'> & Pick<Circumstances, 'retryDelaysMs' | 'random'>;

/** Waits for all delays since the last wait: an attempt made at once takes no time off the whole span. */
const waitWith = (
  progress: WithoutProbe,
  probe: Probe | undefined,
  { failure, retryAfterMs = 0, retryDelaysMs, random }: Wait,
): Decision & { kind: 'wait' } => {
  const { failures, failuresAtWait } = progress;
  const from = Math.min(failuresAtWait, failures - 1);
  const scheduled = retryDelaysMs.slice(from, failures).reduce((sum, delay) => sum + delay, 0);
  const asked = Math.min(retryAfterMs, retryDelaysMs[failures] ?? scheduled);
  const rest: Progress = { ...progress, failuresAtWait: failures };
  return {
    kind: 'wait',
    failure,
    delayMs: Math.max(spread(scheduled, random), asked),
    progress: probe === undefined ? rest : { ...rest, probe: { ...probe, next: 'retry' } },
  };
};

/** The longest wait after 0, 1, 2, … failures in a row. */
export const longestWaitsMs = (retryDelaysMs: readonly number[]): number[] =>
  [0, ...retryDelaysMs].map((_, failures) => {
    const scheduled = retryDelaysMs.slice(0, failures).reduce((sum, delay) => sum + delay, 0);
    const spreadMost = (1 + jitter) * Math.max(longestOwnFaultDelayMs, scheduled);
    return Math.ceil(Math.max(spreadMost, retryDelaysMs[failures] ?? 0));
  });

const spread = (delayMs: number, random: number): number => Math.round(delayMs * (1 - jitter + 2 * jitter * random));

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110 §10.2.3). `undefined` when it says nothing. */
export const parseRetryAfter = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
};
