/**
 * One run of a lease: sends its webhook's events in order, one POST at a time.
 *
 * A run is in one of these states:
 *
 * - READY: the next event is looked up, if the lease lasts for one more attempt. It is SENDING if there is an event,
 *   and ENDED otherwise.
 * - SENDING: a POST is in flight. It is DECIDED once its outcome and the reply to the last renewal are known, or ENDED
 *   with nothing to save if the lease was lost.
 * - DECIDED: `domain/delivery.ts` says what follows. It is READY again if more events are left, while its progress is
 *   saved and its lease renewed; ENDED if not, and after 32 events or half a second, a failure, a pause or a stop.
 * - ENDED: its result is saved. The webhook has all events (`advance`), waits until it is tried again (`wait`), is
 *   stopped (`stop`), or is leased again after the others (`yield`).
 */
import { crc32 } from 'node:zlib';
import type { EventMap, EventType, WebhookFormat } from '@bot-directory/contract';
import { BoundedCache } from '../base/bounded-cache.ts';
import type { Clock } from '../base/time.ts';
import type { EventId, Ids, WebhookId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Attempt } from '../domain/attempt.ts';
import {
  decide,
  fresh,
  laterThan,
  parseRetryAfter,
  passed,
  probedThrough,
  prefersCandidate,
  withoutLater,
  type AttemptOutcome,
  type Decision,
  type Progress,
} from '../domain/delivery.ts';
import { pingEnvelope, type LoggedEvent } from '../domain/event.ts';
import { formatted } from '../domain/format.ts';
import type { Delivery, Outcome, SendWebhook } from '../outbound/send-webhook.ts';
import type { Lease, LeaseResult, Note, Settlement } from '../store/webhooks/deliveries.ts';
import type { DeliveredEvents, WantedPage } from '../store/events/log-views.ts';
import type { OwnOutage } from './own-outage.ts';
import type { ServicePauses } from './service-pauses.ts';
import { HeldLease, type Settle } from './settler.ts';

/** What a run uses. `isHalting`: deliveries are paused or the process is stopping, so no new POST begins. */
export type DeliverDeps = {
  readonly send: SendWebhook;
  readonly outage: Pick<OwnOutage, 'judge'>;
  readonly pauses: Pick<ServicePauses, 'note'>;
  readonly settle: Settle;
  readonly events: Pick<DeliveredEvents, 'after' | 'changes' | 'headFor' | 'remembered'>;
  /** An event in a format. */
  readonly bodyIn: BodyIn;
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
/** After this many events, or this long, a run with events left is requeued. */
const longestRun = { events: 32, ms: 500 };

/** Whether the endpoint was quick; undefined if it was not called. */
type Seen = { readonly quick: boolean } | undefined;

/**
 * Delivers under a lease to an endpoint in `domain`. The result is saved afterwards, so the connection is free for
 * others meanwhile.
 */
export const deliver = async (deps: DeliverDeps, granted: Lease, domain: string): Promise<Seen> => {
  const { events } = deps;
  const { queue } = granted;
  const lease = new HeldLease(deps, granted);
  const startedMs = deps.steadyMs();
  // Until its first attempt, the run behaves as if the attempt before it had succeeded.
  let decision: Decision = { kind: 'advance', progress: granted.progress };
  let seen: Seen;
  const reading = new RunEvents(events, granted);

  for (let sent = 1; ; sent += 1) {
    const { progress } = decision;
    // The lease waited too long, here or for the store: another could be granted before this attempt ends.
    if (!lease.lasts(deps.timeoutMs) && !(await lease.lastsOnceRenewed(deps.timeoutMs))) {
      deps.metrics.duplicatesAvoided.inc();
      lease.end(interruptionOf(decision));
      return seen;
    }
    const head = events.headFor(queue);
    const { event, ...place } =
      reading.known(progress) ?? (await reading.next(progress, () => lease.end(interruptionOf(decision))));
    if (event === undefined) {
      const searched = { head, ...place, through: reading.through, retryDelaysMs: deps.retryDelaysMs };
      const instead = withoutEvent(decision, searched);
      if ('kind' in instead) {
        decision = instead;
        continue;
      }
      lease.end(instead);
      return seen;
    }

    const request = requestOf(deps, granted, { event, progress });
    const sentMs = performance.now();
    // No async function in between: its frame would stay in memory for each delivery under way.
    const outcome = await deps.send(request);
    const durationMs = Math.round((performance.now() - sentMs) * 10) / 10;
    deps.pauses.note(granted.url, outcome);
    const ids = { webhook_id: granted.id, event_id: event.id, delivery_id: request.id };
    reportAttempt(deps, ids, { attempt: progress.failures + 1, outcome, durationMs });
    if (!(await lease.isHeld())) return seen;
    seen = { quick: outcome.kind === 'delivered' && durationMs < quickMs };
    decision = decide(progress, toAttemptOutcome(deps.outage.judge(domain, outcome, progress), deps.clock), {
      retryDelaysMs: deps.retryDelaysMs,
      sent: event.number,
      ...place,
      random: Math.random(),
    });
    reportDecision(deps, decision, ids);

    const note = noteOf(decision, { eventId: event.id, attempt: attemptOf(outcome, durationMs) });
    const result = endingOf(decision, {
      pauseMs: outcome.kind === 'delivered' ? outcome.pauseMs : undefined,
      isBehind: events.headFor(queue) > decision.progress.cursor,
      isHalting: deps.isHalting(),
      isOver: sent >= longestRun.events || deps.steadyMs() - startedMs >= longestRun.ms,
    });
    if (result !== undefined) {
      lease.end({ result, note });
      return seen;
    }
    lease.renew(note);
  }
};

/** The next attempt: the event, or a ping if a probe sends one in its place. */
const requestOf = (
  deps: DeliverDeps,
  { url, secret, headers, subscription }: Lease,
  { event, progress: { probe, failures, ownFaults } }: { event: LoggedEvent; progress: Progress },
): Delivery => {
  const format = subscription?.format;
  const sent = probe?.next === 'ping' && probe.candidate === event.number ? pingOf(deps) : event;
  const body = format === undefined ? sent.body : deps.bodyIn(format, sent);
  const isRetry = failures + ownFaults > 0;
  return { url, id: deps.ids.delivery(), eventId: sent.id, type: sent.type, format, body, secret, headers, isRetry };
};

const attemptOf = (outcome: Outcome, durationMs: number): Omit<Attempt, 'atMs'> => ({
  status: outcome.status,
  failure: outcome.kind === 'delivered' ? undefined : outcome.failure,
  durationMs,
});

type Interruption = Omit<Settlement, 'lease'>;

/** A ping, as it is sent. */
const pingOf = ({ ids, clock }: Pick<DeliverDeps, 'ids' | 'clock'>) => {
  const id = ids.event();
  const envelope = pingEnvelope(id, clock());
  return { id, type: envelope.type, body: Buffer.from(JSON.stringify(envelope)) };
};

/** What may end a run. `pauseMs`: how long the endpoint wants no other request. */
type Ending = {
  readonly pauseMs: number | undefined;
  readonly isBehind: boolean;
  readonly isHalting: boolean;
  readonly isOver: boolean;
};

/** How a run ends after a decision about an event; `undefined` if it continues. */
const endingOf = (decision: Decision, { pauseMs, isBehind, isHalting, isOver }: Ending): LeaseResult | undefined => {
  if (decision.kind === 'stop' || decision.kind === 'wait') return interruptionOf(decision).result;
  if (pauseMs !== undefined) return { kind: 'wait', delayMs: pauseMs };
  if (!isBehind) return { kind: 'advance' };
  return isHalting || isOver ? { kind: 'yield' } : undefined;
};

/** How a run ends if it stops after a decision, which is saved, although it could continue. */
const interruptionOf = (decision: Decision): Interruption => {
  const note = noteOf(decision);
  if (decision.kind === 'stop') return { result: { kind: 'stop' }, note };
  if (decision.kind === 'wait') return { result: { kind: 'wait', delayMs: decision.delayMs }, note };
  return { result: { kind: 'yield' }, note };
};

/** What is saved of a decision. `sent`: what it is about, unless that was saved before. */
const noteOf = (decision: Decision, sent?: { eventId: EventId; attempt: Note['attempt'] }): Note => {
  const { kind, progress } = decision;
  // Every note has the same fields: one is made for each delivery, and a second shape costs more than the note.
  return {
    progress,
    failure: kind === 'advance' || kind === 'skip' ? undefined : decision.failure,
    skipped: kind === 'skip' && sent !== undefined ? { eventId: sent.eventId, failure: decision.failure } : undefined,
    attempt: sent?.attempt,
  };
};

/** What follows when no event was found up to `through`: how the run ends, or a decision that lets it continue. */
const withoutEvent = (
  decision: Decision,
  { head, through, isLater, follows, retryDelaysMs }: Searched & Pick<DeliverDeps, 'retryDelaysMs'> & { head: number },
): Interruption | Decision => {
  const { progress } = decision;
  const { probe } = progress;
  if (through < head) {
    // The webhook wants none of the many events that were examined. That is saved before it continues, after others.
    const further = isLater ? probedThrough(progress, { through, follows }) : passed(progress, through);
    const failure = further.probe && { failure: further.probe.failure };
    return { result: { kind: 'yield' }, note: { ...noteOf(decision), progress: further, ...failure } };
  }
  if (probe !== undefined && isLater) {
    const instead = withoutLater(progress, probe, { retryDelaysMs, random: Math.random() });
    return instead.kind === 'wait' ? interruptionOf(instead) : instead;
  }
  // The log no longer has any of these events. The cursor moves on, or the webhook would be leased again and again.
  return { result: { kind: 'advance' }, note: { progress: fresh(Math.max(progress.cursor, head)) } };
};

const reportDecision = (
  { metrics, log }: DeliverDeps,
  decision: Decision,
  { webhook_id, event_id }: { readonly webhook_id: WebhookId; readonly event_id: EventId },
): void => {
  if (decision.kind === 'stop') {
    metrics.stopped.inc();
    const { failures } = decision.progress;
    log.warn({ webhook_id, failures, failure: decision.failure }, 'webhook stopped');
  }
  if (decision.kind === 'skip') {
    metrics.skipped.inc();
    const { failure } = decision;
    log.warn({ webhook_id, event_id, failure }, 'event skipped: this endpoint refuses it and accepts others');
  }
};

/** Measures one POST and logs it. The log line never contains the URL. */
const reportAttempt = (
  deps: DeliverDeps,
  ids: Readonly<Record<string, string>>,
  { attempt, outcome, durationMs }: { attempt: number; outcome: Outcome; durationMs: number },
): void => {
  const result = outcome.kind === 'delivered' ? 'delivered' : outcome.failure;
  deps.metrics.attemptDuration.observe({ outcome: result }, durationMs / 1_000);
  const level = result === 'delivered' ? deps.successLevel() : 'info';
  if (!deps.log.isLevelEnabled(level)) return;
  const line = {
    ...ids,
    attempt,
    outcome: result,
    ...(outcome.status === undefined ? {} : { status: outcome.status }),
    duration_ms: durationMs,
  };
  deps.log[level](line, 'attempt');
};

const toAttemptOutcome = (outcome: Outcome, clock: Clock): AttemptOutcome => {
  if (outcome.kind === 'delivered') return outcome;
  const { failure, isOurs, status, retryAfter } = outcome;
  const retryAfterMs = status === 429 || status === 503 ? parseRetryAfter(retryAfter, clock()) : undefined;
  return {
    kind: 'failed',
    failure,
    isOurs,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
};

/**
 * What is sent next, if anything. `isLater`: as the later event of a probe. `follows`: no event that the webhook wants
 * was left out before it.
 */
type Next = { readonly event: LoggedEvent | undefined; readonly isLater: boolean; readonly follows: boolean };

/** How far the log was searched for one, and for what. */
type Searched = Pick<Next, 'isLater' | 'follows'> & { readonly through: number };

const noPage = { after: Infinity, events: [], through: 0, changes: '' };

/** The events of one run. It reads as many at once as a run may send. */
class RunEvents {
  readonly #events: DeliverDeps['events'];
  readonly #lease: Lease;
  #page: WantedPage & { readonly after: number; readonly changes: string } = noPage;

  constructor(events: DeliverDeps['events'], lease: Lease) {
    this.#events = events;
    this.#lease = lease;
  }

  /** How far the last reading examined the log. For a webhook without a subscription, all of it counts as examined. */
  get through(): number {
    return this.#lease.queue.isOwn ? this.#page.through : Infinity;
  }

  /** What is sent next, if the endpoint is not probed and the event need not be read. */
  known({ cursor, probe }: Progress): Next | undefined {
    const event = probe === undefined ? this.#known(cursor) : undefined;
    return event && { event, isLater: false, follows: true };
  }

  /**
   * What is sent next. A later event is about another bot than the one that waits: of one bot, they come in order.
   * `onFailure` is called when the store is away.
   */
  async next(progress: Progress, onFailure: () => void): Promise<Next> {
    const find = async (after: number) => this.#known(after) ?? (await this.#read(after, onFailure));
    const waiting = await find(progress.cursor);
    let after = laterThan(progress);
    // The candidate may have become untrue.
    if (after === undefined || waiting === undefined || waiting.number !== progress.probe?.candidate)
      return { event: waiting, isLater: false, follows: true };
    let later = await find(after);
    let follows = true;
    while (later?.bot.id === waiting.bot.id) {
      [after, follows] = [later.number, false];
      later = await find(after);
    }
    if (later !== undefined && prefersCandidate(progress, Math.random()))
      return { event: waiting, isLater: false, follows: true };
    return { event: later, isLater: true, follows };
  }

  #known(after: number): LoggedEvent | undefined {
    // What was read before may not be true any more.
    if (this.#page.changes !== this.#events.changes) this.#page = { ...noPage, through: this.#page.through };
    const event = this.#events.remembered(after, this.#lease.subscription);
    return event ?? (after >= this.#page.after ? this.#page.events.find(({ number }) => number > after) : undefined);
  }

  async #read(after: number, onFailure: () => void): Promise<LoggedEvent | undefined> {
    const from = after >= this.#page.after ? Math.max(after, this.#page.through) : after;
    const { changes } = this.#events;
    try {
      this.#page = {
        after: from,
        changes,
        ...(await this.#events.after(from, longestRun.events, this.#lease.subscription)),
      };
    } catch (error) {
      onFailure();
      throw error;
    }
    return this.#page.events[0];
  }
}

/** The body of an event in a format. */
export type BodyIn = (format: WebhookFormat, event: Pick<LoggedEvent, 'id' | 'body'>) => Buffer;

/** About a thousand bodies. */
const keptBytes = 2 * 1_024 * 1_024;

/** Makes a `BodyIn` that makes each event once in each format, however many webhooks get it. */
export const createBodyIn = (baseUrl: string): BodyIn => {
  const kept = new BoundedCache<Buffer>({ max: keptBytes, sizeOf: (_key, body) => body.length });
  return (format, { id, body }) => {
    // An envelope changes with its bot.
    const key = `${id} ${format} ${crc32(body)}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const envelope = JSON.parse(body.toString()) as EventMap[EventType];
    const made = Buffer.from(JSON.stringify(formatted(format, { envelope, baseUrl })));
    kept.set(key, made);
    return made;
  };
};
