/** One run of a lease: its webhook's events in order, one POST after the other, until it has all or one fails. */
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import { decide, eventToSend, parseRetryAfter, type AttemptOutcome } from '../domain/delivery.ts';
import type { Outcome, SendWebhook } from '../outbound/send-webhook.ts';
import type { Ending, Lease } from '../store/deliveries.ts';
import type { EventLog, LoggedEvent } from '../store/event-log.ts';
import type { Settle } from './settler.ts';

/** What a run uses. `isStopping`: the process is on its way out, so begin nothing new. */
export type DeliverDeps = {
  readonly send: SendWebhook;
  readonly settle: Settle;
  readonly events: Pick<EventLog, 'recent' | 'after' | 'head'>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly retryDelaysMs: readonly number[];
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly isStopping: () => boolean;
};

/** An answer within this time is quick. */
const quickMs = 1_000;
const readAhead = 32;

/**
 * Delivers under a lease. Says whether the endpoint was quick, or nothing when it was not called. What came of it is
 * written down afterwards, by `settle`: the connection is free for others until then.
 */
export const deliver = async (deps: DeliverDeps, first: Lease): Promise<{ quick: boolean } | undefined> => {
  const { clock, settle, events } = deps;
  const read = reader(events);
  let lease = first;
  let progress = first.progress;
  let learnt: { quick: boolean } | undefined;
  /** The lease as the store will have it; nothing, if it was lost. The next POST goes out before that is known. */
  let renewal: Promise<Lease | undefined> = Promise.resolve(first);

  const holds = async (): Promise<boolean> => {
    const renewed = await renewal;
    if (renewed !== undefined) lease = renewed;
    return renewed !== undefined;
  };
  const hasTime = (): boolean => lease.untilMs - clock() >= deps.timeoutMs;
  const renew = async (): Promise<Lease | undefined> => {
    const untilMs = clock() + deps.leaseMs;
    return (await settle({ lease, step: 'keep', progress, untilMs })) ? { ...lease, untilMs } : undefined;
  };
  const end = (last: Ending): typeof learnt => {
    void settle({ lease, progress, ...last });
    return learnt;
  };

  for (;;) {
    // It waited for its turn too long: another worker may have it before this attempt would end.
    if (!hasTime() && !((await holds()) && hasTime())) {
      deps.metrics.duplicatesAvoided.inc();
      return learnt;
    }
    const { head } = events;
    const event = events.recent(eventToSend(progress)) ?? (await read(eventToSend(progress)));
    if (event === undefined) {
      // The log no longer has any of them: a webhook that stayed behind would be leased again and again.
      progress = { ...progress, cursor: Math.max(progress.cursor, head) };
      return end({ step: 'advance' });
    }
    // The log no longer reaches back so far: go on with the oldest that it has.
    if (!progress.probing && event.number > eventToSend(progress)) progress = { ...progress, cursor: event.number - 1 };

    const { outcome, durationMs } = await attempt(deps, lease, { event, failures: progress.failures });
    if (!(await holds())) return learnt;
    learnt = { quick: outcome.outcome === 'delivered' && durationMs < quickMs };
    const step = decide(progress, outcome, {
      retryDelaysMs: deps.retryDelaysMs,
      hasNextEvent: events.head >= progress.cursor + 2,
      random: Math.random(),
    });
    progress = step.progress;

    switch (step.step) {
      case 'probe':
        continue;
      case 'wait':
      case 'again':
        return end({ step: 'wait', failure: step.failure, atMs: clock() + step.delayMs });
      case 'stop':
        deps.metrics.stopped.inc();
        deps.log.warn({ webhook_id: lease.id, failures: progress.failures, failure: step.failure }, 'webhook stopped');
        return end({ step: 'stop', failure: step.failure });
      case 'skip':
        deps.metrics.skipped.inc();
        deps.log.warn(
          { webhook_id: lease.id, event_number: step.skipped },
          'event skipped: this endpoint refuses it and takes the next',
        );
        break;
      case 'advance':
    }
    if (events.head <= progress.cursor || deps.isStopping()) return end({ step: 'advance' });
    renewal = renew();
  }
};

/** One POST, with its log line. The URL is in none. */
const attempt = async (
  deps: DeliverDeps,
  lease: Lease,
  { event, failures }: { event: LoggedEvent; failures: number },
): Promise<{ outcome: AttemptOutcome; durationMs: number }> => {
  const id = deps.ids.delivery();
  const startedMs = performance.now();
  const outcome = await deps.send({
    url: lease.url,
    id,
    eventId: event.id,
    type: event.type,
    body: event.body,
    secret: lease.secret,
  });
  const result = outcome.outcome === 'delivered' ? 'delivered' : outcome.failure;
  const durationMs = Math.round((performance.now() - startedMs) * 10) / 10;
  deps.metrics.attempts.inc({ outcome: result });
  deps.log.info(
    {
      webhook_id: lease.id,
      event_id: event.id,
      delivery_id: id,
      attempt: failures + 1,
      outcome: result,
      ...(outcome.status === undefined ? {} : { status: outcome.status }),
      duration_ms: durationMs,
    },
    'attempt',
  );
  return { outcome: toAttemptOutcome(outcome, deps.clock()), durationMs };
};

const toAttemptOutcome = (outcome: Outcome, nowMs: number): AttemptOutcome => {
  if (outcome.outcome === 'delivered') return outcome;
  const { retryAfter, ...failed } = outcome;
  const retryAfterMs = failed.status === 429 || failed.status === 503 ? parseRetryAfter(retryAfter, nowMs) : undefined;
  return { ...failed, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
};

/** Reads the log in pages, for a webhook that is far behind. */
const reader = (events: DeliverDeps['events']) => {
  let page: readonly LoggedEvent[] = [];
  return async (number: number): Promise<LoggedEvent | undefined> => {
    const found = page.find((event) => event.number >= number);
    if (found !== undefined) return found;
    page = await events.after(number - 1, readAhead);
    return page[0];
  };
};
