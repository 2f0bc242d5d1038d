/**
 * What an attempt means for a webhook: outcome → decision. It contains the ten-in-a-row rule, the spaced retries, and
 * the rule for a poison event, which one endpoint refuses again and again (decision 0004). Pure: time and randomness
 * are passed in, and event numbers are only compared.
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
      readonly retryAfterMs?: number;
    };

/** How far a webhook has got, while it is leased. */
export type Progress = {
  /** The number of the last event it has. */
  readonly cursor: number;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Attempts in a row that failed through our own fault: they affect only the next delay. */
  readonly ownFaults: number;
  /** Whether the event after the cursor is a poison event, or the endpoint is at fault: the evidence so far. */
  readonly probe?: Probe;
};

/** The probe of an endpoint that refused one event, the candidate, again and again. */
export type Probe = {
  readonly candidate: number;
  /** Later events that were sent end here; at first, at the candidate. */
  readonly last: number;
  /** Without the candidate, the webhook has all events up to here. */
  readonly settled: number;
  /** Sends in a row that agree: the candidate is refused, and later events are accepted. 0: none was accepted. */
  readonly agreeing: number;
  /** How the candidate was refused last. */
  readonly failure: DeliveryFailure;
  /** How often the candidate was refused, and there was no later event to send. */
  readonly alone: number;
  /**
   * What is sent next. `later`: if there is one. `either`: a coin chooses, and what it chooses is evidence. `ping`: in
   * place of later events, of which there are too few.
   */
  readonly next: 'candidate' | 'later' | 'either' | 'ping';
};

/** What to do next. Every decision carries the resulting progress. */
export type Decision = { readonly progress: Progress } & (
  | { readonly kind: 'advance' }
  /** The event that was sent is given up: the endpoint refuses it and accepts others. */
  | { readonly kind: 'skip'; readonly failure: DeliveryFailure }
  /** Continue the probe at once. */
  | { readonly kind: 'probe'; readonly failure: DeliveryFailure }
  | { readonly kind: 'wait'; readonly failure: DeliveryFailure; readonly delayMs: number }
  | { readonly kind: 'stop'; readonly failure: DeliveryFailure }
);

/** What a decision depends on besides the outcome. `random`: 0 … 1. */
export type Circumstances = {
  readonly retryDelaysMs: readonly number[];
  /** The number of the event that was sent. */
  readonly sent: number;
  /** Whether it was sent as the later event of a probe. */
  readonly isLater: boolean;
  /** Whether the webhook wants no event between it and the later one before it. */
  readonly follows: boolean;
  readonly random: number;
};

/** After this many failures in a row, the endpoint is probed. */
const probeFrom = 6;
/**
 * This many sends prove that an event is poison. A coin chooses each but the first, and an endpoint whose responses do
 * not depend on the event matches the coin half of the time, whatever its pattern. The chance of skipping a good event
 * is 2^-19.
 */
const sendsOfProof = 20;
/** After this many refusals without a later event, about 16 hours, a ping stands for later events. */
const mostAlone = 16;
const firstOwnFaultDelayMs = 5_000;
const longestOwnFaultDelayMs = 120_000;
/** After this many in a row, about 33 hours, our own faults count too, so that no endpoint is called forever. */
const mostOwnFaults = 1_000;
const jitter = 0.1;

/** The event after which a probe sends the next later one; `undefined` if it sends none now. */
export const laterThan = ({ probe }: Progress): number | undefined =>
  probe === undefined || probe.next === 'candidate' || probe.next === 'ping' ? undefined : probe.last;

/** Whether the candidate is sent although there is a later event. `random`: 0 … 1. */
export const prefersCandidate = ({ probe }: Progress, random: number): boolean =>
  probe?.next === 'either' && random < 0.5;

/** Decides what follows from an attempt's outcome. */
export const decide = (progress: Progress, outcome: AttemptOutcome, circumstances: Circumstances): Decision => {
  const { isLater, random } = circumstances;
  if (outcome.kind === 'failed' && outcome.isOurs && progress.ownFaults < mostOwnFaults)
    return afterOwnFault(progress, outcome.failure, random);
  const known = progress.probe;
  if (isLater && known !== undefined)
    return outcome.kind === 'delivered'
      ? afterLaterAccepted(progress.cursor, known, circumstances)
      : afterLaterRefused(progress, known, { ...circumstances, ...outcome });
  const { sent } = circumstances;
  // The candidate may have become untrue.
  const probe = known?.candidate === sent ? known : undefined;
  if (probe?.next === 'ping')
    return outcome.kind === 'delivered'
      ? { kind: 'skip', failure: probe.failure, progress: fresh(probe.settled) }
      : atFault(progress, probe, { ...circumstances, ...outcome });
  return outcome.kind === 'delivered'
    ? { kind: 'advance', progress: fresh(probe?.settled ?? sent) }
    : afterFailure(progress, probe, { ...circumstances, ...outcome });
};

/** The progress of a webhook that has the event with this number, and has not failed since. */
export const fresh = (cursor: number): Progress => ({ cursor, failures: 0, ownFaults: 0 });

/** The progress when nothing up to this number is wanted after the cursor. */
export const passed = (progress: Progress, through: number): Progress => ({ ...progress, cursor: through });

/** The progress when a probe has no later event to send up to this number. */
export const probedThrough = (
  { probe, ...progress }: Progress,
  { through, follows }: Pick<Circumstances, 'follows'> & { readonly through: number },
): Progress =>
  probe === undefined ? progress : { ...progress, probe: { ...probe, ...furthest(probe, through, follows) } };

/** How far a probe is. What it left out, the webhook does not have: `settled` stays before that. */
const furthest = ({ last, settled }: Probe, through: number, follows: boolean): Pick<Probe, 'last' | 'settled'> => ({
  last: through,
  settled: settled === last && follows ? through : settled,
});

/**
 * Decides what to do when there is no later event: the candidate is sent in its place, at once if the endpoint has not
 * accepted any, else after the wait that follows the failures of a probe; and a ping when that has gone on for long.
 */
export const withoutLater = (
  progress: WithoutProbe,
  probe: Probe,
  circumstances: Pick<Circumstances, 'retryDelaysMs' | 'random'>,
): Decision & { kind: 'probe' | 'wait' } => {
  const { failure } = probe;
  if (probe.next === 'later')
    return { kind: 'probe', failure, progress: { ...progress, probe: { ...probe, next: 'candidate' } } };
  if (probe.alone >= mostAlone)
    return { kind: 'probe', failure, progress: { ...progress, probe: { ...probe, next: 'ping' } } };
  const waiting = waitWith({ ...progress, failures: probeFrom }, probe, { ...circumstances, failure });
  const next = { ...probe, alone: probe.alone + 1, next: 'candidate' } as const;
  return { ...waiting, progress: { ...waiting.progress, probe: next } };
};

type WithoutProbe = Omit<Progress, 'probe'>;
type Failed = AttemptOutcome & { readonly kind: 'failed' };

/** The row of failures is over. The candidate is next: an endpoint that was down gets its events almost in order. */
const afterLaterAccepted = (cursor: number, probe: Probe, { sent, follows }: Circumstances): Decision => {
  const next = probe.agreeing === 0 ? 'candidate' : 'either';
  return {
    kind: 'probe',
    failure: probe.failure,
    progress: {
      ...fresh(cursor),
      probe: { ...probe, ...furthest(probe, sent, follows), agreeing: probe.agreeing + 1, next },
    },
  };
};

/** The next later event is the one after this. */
const afterLaterRefused = (progress: WithoutProbe, probe: Probe, failed: Failed & Circumstances): Decision =>
  atFault(progress, { ...probe, last: failed.sent }, failed);

/** The evidence is void, because the endpoint refuses others too. */
const atFault = (progress: WithoutProbe, probe: Probe, failed: Failed & Circumstances): Decision =>
  waitOrStop(counted(progress, probe), { ...probe, agreeing: 0, alone: 0 }, failed);

const afterFailure = (before: WithoutProbe, probe: Probe | undefined, failed: Failed & Circumstances): Decision => {
  const { failure, retryAfterMs } = failed;
  const progress = counted(before, probe);
  const known = probe ?? (progress.failures < probeFrom ? undefined : probeOf(failed.sent));
  if (known === undefined) return waitOrStop(progress, undefined, failed);
  const judged = { ...known, failure, agreeing: known.agreeing + (known.next === 'either' ? 1 : 0) };
  if (judged.agreeing >= sendsOfProof) return { kind: 'skip', failure, progress: fresh(judged.settled) };
  if (judged.agreeing === 0 || retryAfterMs !== undefined) return waitOrStop(progress, judged, failed);
  return { kind: 'probe', failure, progress: { ...progress, probe: { ...judged, next: 'either' } } };
};

const probeOf = (candidate: number): Omit<Probe, 'failure'> => ({
  candidate,
  last: candidate,
  settled: candidate,
  agreeing: 0,
  alone: 0,
  next: 'candidate',
});

/** Counts one more failure in a row. An endpoint that accepts later events is not stopped, nor does it wait longer. */
const counted = (progress: WithoutProbe, probe: Probe | undefined): WithoutProbe => ({
  cursor: progress.cursor,
  failures: Math.min(progress.failures + 1, probe !== undefined && probe.agreeing > 0 ? probeFrom : Infinity),
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

const waitWith = (
  progress: WithoutProbe,
  probe: Probe | undefined,
  { failure, retryAfterMs = 0, retryDelaysMs, random }: Wait,
): Decision & { kind: 'wait' } => {
  const { failures } = progress;
  const scheduled = retryDelaysMs[failures - 1] ?? 0;
  const asked = Math.min(retryAfterMs, retryDelaysMs[failures] ?? scheduled);
  return {
    kind: 'wait',
    failure,
    delayMs: Math.max(spread(scheduled, random), asked),
    progress: probe === undefined ? progress : { ...progress, probe: { ...probe, next: afterWait(failures, probe) } },
  };
};

/** While all is refused, every second attempt from the seventh on is a later event, and the tenth is the candidate. */
const afterWait = (failures: number, { agreeing }: Probe): Probe['next'] => {
  if (agreeing > 0) return 'either';
  return failures >= probeFrom && (failures - probeFrom) % 2 === 0 ? 'later' : 'candidate';
};

/** The longest wait after 0, 1, 2, … failures in a row. */
export const longestWaitsMs = (retryDelaysMs: readonly number[]): number[] =>
  [0, ...retryDelaysMs].map((scheduled, failures) => {
    const spreadMost = (1 + jitter) * Math.max(longestOwnFaultDelayMs, scheduled);
    return Math.ceil(Math.max(spreadMost, retryDelaysMs[failures] ?? 0));
  });

const spread = (delayMs: number, random: number): number => Math.round(delayMs * (1 - jitter + 2 * jitter * random));

/** The date of C's `asctime`, which is one of HTTP's and has no time zone. */
const asctime = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3). `undefined` when it says nothing. */
export const parseRetryAfter = (header: string | undefined, nowMs: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const date = asctime.test(text) ? `${text} GMT` : text;
  const atMs = date.endsWith('GMT') ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
};
