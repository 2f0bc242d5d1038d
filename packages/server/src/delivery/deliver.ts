/**
 * One run of a lease: sends its webhook's events in order, one POST at a time, until none are left, one fails, or
 * others have waited long enough.
 */
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import {
  decide,
  eventAfter,
  fresh,
  parseRetryAfter,
  refusesContent,
  type AttemptOutcome,
  type Decision,
} from '../domain/delivery.ts';
import type { Outcome, SendWebhook } from '../outbound/send-webhook.ts';
import type { Lease } from '../store/deliveries.ts';
import type { DeliveredEvents } from '../store/delivered-events.ts';
import type { DeliveredEvent } from '../store/recent-events.ts';
import { HeldLease } from './held-lease.ts';
import type { Settle } from './settler.ts';

/** What a run uses. `isHalting`: deliveries are paused or the process is stopping, so no new POST begins. */
export type DeliverDeps = {
  readonly send: SendWebhook;
  readonly settle: Settle;
  readonly events: Pick<DeliveredEvents, 'after' | 'head' | 'remembered'>;
  readonly ids: Ids;
  /** The time of day, for dates in responses. */
  readonly clock: Clock;
  /** A monotonic clock. */
  readonly steadyMs: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The level at which the next successful attempt is logged. */
  readonly successLevel: () => 'info' | 'debug';
  readonly retryDelaysMs: readonly number[];
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly isHalting: () => boolean;
};

/** A response within this time counts as quick. */
const quickMs = 1_000;
/** After so many events, or so long, a run with events left goes to the end of the line. */
const longestRun = { events: 32, ms: 500 };

/**
 * Delivers under a lease. Returns whether the endpoint was quick, or undefined if it was not called. The result is
 * saved afterwards, so the connection is free for others meanwhile.
 */
export const deliver = async (deps: DeliverDeps, granted: Lease): Promise<{ quick: boolean } | undefined> => {
  const { events } = deps;
  const lease = new HeldLease(deps, granted);
  const startedMs = deps.steadyMs();
  let progress = granted.progress;
  let interruption: Interruption = { result: { kind: 'yield' }, note: { progress } };
  let seen: { quick: boolean } | undefined;
  const interrupt = (): void => lease.end(interruption.result, interruption.note);
  const next = reader(events, interrupt);

  for (let sent = 1; ; sent += 1) {
    // It waited too long, here or for the store: another worker could lease the webhook before this attempt ends.
    if (!lease.lasts(deps.timeoutMs) && !(await lease.lastsOnceRenewed(deps.timeoutMs))) {
      deps.metrics.duplicatesAvoided.inc();
      interrupt();
      return seen;
    }
    const { head } = events;
    const after = eventAfter(progress);
    const event = events.remembered(after) ?? (await next(after));
    if (event === undefined) {
      // The log no longer has any of these events. The cursor moves on, or the webhook would be leased again and again.
      lease.end({ kind: 'advance' }, { progress: fresh(Math.max(progress.cursor, head)) });
      return seen;
    }

    const { outcome, durationMs } = await attempt(deps, granted, { event, failures: progress.failures });
    if (!(await lease.isHeld())) return seen;
    seen = { quick: outcome.kind === 'delivered' && durationMs < quickMs };
    const decision = decide(progress, outcome, {
      retryDelaysMs: deps.retryDelaysMs,
      sent: event.number,
      hasNextEvent: events.head > event.number,
      random: Math.random(),
    });
    report(deps, granted.id, decision);
    ({ progress } = decision);

    const ending = endingOf(decision, {
      isBehind: events.head > progress.cursor,
      isHalting: deps.isHalting(),
      isOver: () => sent >= longestRun.events || deps.steadyMs() - startedMs >= longestRun.ms,
    });
    if (ending !== undefined) {
      lease.end(ending.result, ending.note);
      return seen;
    }
    interruption = interruptionOf(decision);
    lease.renew(interruption.note);
  }
};

type Interruption = {
  readonly result: Parameters<HeldLease['end']>[0];
  readonly note: Parameters<HeldLease['end']>[1];
};

/** How a run ends after a decision; `undefined` if it continues. */
const endingOf = (
  decision: Decision,
  { isBehind, isHalting, isOver }: { isBehind: boolean; isHalting: boolean; isOver: () => boolean },
): Interruption | undefined => {
  const { progress } = decision;
  if (decision.kind === 'stop' || decision.kind === 'wait') return interruptionOf(decision);
  if (decision.kind === 'suspect') return isHalting ? interruptionOf(decision) : undefined;
  if (!isBehind) return { result: { kind: 'advance' }, note: { progress } };
  return isHalting || isOver() ? interruptionOf(decision) : undefined;
};

/** How a run ends if it stops after a decision although it could continue. */
const interruptionOf = (decision: Decision): Interruption => {
  const { progress } = decision;
  if (decision.kind === 'stop') return { result: { kind: 'stop' }, note: { progress, failure: decision.failure } };
  if (decision.kind === 'advance' || decision.kind === 'skip') return { result: { kind: 'yield' }, note: { progress } };
  return {
    result: { kind: 'wait', delayMs: decision.delayMs },
    note: { progress, failure: decision.failure },
  };
};

const report = ({ metrics, log }: DeliverDeps, webhookId: string, decision: Decision): void => {
  if (decision.kind === 'stop') {
    metrics.stopped.inc();
    const { failures } = decision.progress;
    log.warn({ webhook_id: webhookId, failures, failure: decision.failure }, 'webhook stopped');
  }
  if (decision.kind === 'skip') {
    metrics.skipped.inc();
    log.warn(
      { webhook_id: webhookId, event_number: decision.skipped },
      'event skipped: this endpoint refuses it and takes the next',
    );
  }
};

/** Sends one POST and logs it. The log line never contains the URL. */
const attempt = async (
  deps: DeliverDeps,
  { id: webhookId, url, secret }: Lease,
  { event, failures }: { event: DeliveredEvent; failures: number },
): Promise<{ outcome: AttemptOutcome; durationMs: number }> => {
  const id = deps.ids.delivery();
  const startedMs = performance.now();
  const outcome = await deps.send({ url, id, eventId: event.id, type: event.type, body: event.body, secret });
  const result = outcome.kind === 'delivered' ? 'delivered' : outcome.failure;
  const durationMs = Math.round((performance.now() - startedMs) * 10) / 10;
  deps.metrics.attemptDuration.observe(`outcome="${result}"`, durationMs / 1_000);
  const level = result === 'delivered' ? deps.successLevel() : 'info';
  if (deps.log.isLevelEnabled(level)) {
    const line = {
      webhook_id: webhookId,
      event_id: event.id,
      delivery_id: id,
      attempt: failures + 1,
      outcome: result,
      ...(outcome.status === undefined ? {} : { status: outcome.status }),
      duration_ms: durationMs,
    };
    deps.log[level](line, 'attempt');
  }
  return { outcome: toAttemptOutcome(outcome, deps.clock), durationMs };
};

const toAttemptOutcome = (outcome: Outcome, clock: Clock): AttemptOutcome => {
  if (outcome.kind === 'delivered') return outcome;
  const { failure, isOurs, status, retryAfter } = outcome;
  const retryAfterMs = status === 429 || status === 503 ? parseRetryAfter(retryAfter, clock()) : undefined;
  return {
    kind: 'failed',
    failure,
    isOurs,
    refusesContent: refusesContent(status, retryAfter),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
};

/** Reads the log in pages as large as a run may send. `onFailure`: the store had to be asked and is away. */
const reader = (events: DeliverDeps['events'], onFailure: () => void) => {
  let page: readonly DeliveredEvent[] = [];
  const turnPage = async (after: number): Promise<DeliveredEvent | undefined> => {
    try {
      page = await events.after(after, longestRun.events);
      return page[0];
    } catch (error) {
      onFailure();
      throw error;
    }
  };
  return (after: number): DeliveredEvent | undefined | Promise<DeliveredEvent | undefined> =>
    page.find(({ number }) => number > after) ?? turnPage(after);
};
