/**
 * The delivery engine: it waits for something to do, leases webhooks that are due or behind, and delivers to them, with
 * no more at once than the dispatcher allows. Any number of processes may each run one; none is special.
 *
 * It is running; paused (it begins nothing, and checks whether it is still paused); or stopping (it begins nothing,
 * finishes what is under way, and returns the other leases).
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Notifier } from '../base/notifier.ts';
import { StoreUnreachable } from '../base/failure.ts';
import { longestWaitsMs } from '../domain/delivery.ts';
import type { Claim, Deliveries, Lease, Settlement } from '../store/webhooks/deliveries.ts';
import type { EventLog } from '../store/events/event-log.ts';
import { queues, type Queue } from '../store/keys.ts';
import { deliveredEvents, type DeliveredEvents } from '../store/events/log-views.ts';
import type { ReportStore } from '../store/reports/report-store.ts';
import type { WebhookStore } from '../store/webhooks/webhook-store.ts';
import { deliver, type DeliverDeps } from './deliver.ts';
import { Dispatcher, type DeliveryLimits } from './dispatcher.ts';
import type { Origins } from './origins.ts';
import { OwnOutage } from './own-outage.ts';
import { Passer } from './pass-events.ts';
import { Schedule, type Plan } from './schedule.ts';
import { ServicePauses } from './service-pauses.ts';
import { Settler } from './settler.ts';

export type EngineDeps = Omit<DeliverDeps, 'settle' | 'isHalting' | 'events' | 'outage' | 'pauses'> & {
  readonly events: EventLog;
  readonly deliveries: Deliveries;
  readonly webhooks: Pick<WebhookStore, 'forgetStopped' | 'lowestCursor'>;
  readonly reports: Pick<ReportStore, 'expire'>;
  readonly limits: DeliveryLimits;
  readonly origins: Origins;
  /** Cuts off the deliveries under way. */
  readonly cutOff: () => Promise<void>;
  /** How often everything is checked again, whether or not there was a notification, in milliseconds. */
  readonly pollMs: number;
  /** The longest a stop may take, in milliseconds. */
  readonly stopMs: number;
};

/** How long the engine backs off after a failure of the store. */
const backoffMs = 250;
const clearEveryMs = 60_000;
/** The part of a stop that is reserved for saving the results of deliveries that were cut off. */
const lastWordsMs = 1_000;

/** Starts delivering. `stop()` finishes what is in flight and returns the other leases, within its time limit. */
export const startEngine = (deps: EngineDeps): Pick<RunningEngine, 'stop'> => new RunningEngine(deps);

class RunningEngine {
  readonly #deps: EngineDeps;
  readonly #wanted: DeliveredEvents;
  readonly #stopping = new AbortController();
  readonly #notifier = new Notifier();
  readonly #schedule: Schedule;
  readonly #passer: Passer;
  readonly #settler: Settler;
  readonly #dispatcher: Dispatcher;
  /** Notified when there may be events to pass. */
  readonly #passNotifier = new Notifier();
  /** The token of each queue's next claim, and whether the last claim with that token got no reply. */
  readonly #tokens = new Map<number, { token: string; isRepeated: boolean }>();
  readonly #name = randomBytes(6).toString('base64url');
  #claims = 0;
  #isPaused = false;
  #isFailing = false;
  #polledMs = -Infinity;
  #clearedMs: number;
  readonly #looping: Promise<unknown>;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#wanted = deliveredEvents(deps.events);
    this.#schedule = new Schedule(queues, deps.pollMs);
    this.#passer = new Passer(deps);
    this.#settler = new Settler({ ...deps, onSaved: (settlements) => this.#saved(settlements) });
    this.#clearedMs = deps.steadyMs();
    const isHalting = (): boolean => this.#isPaused || this.#stopping.signal.aborted;
    const outage = new OwnOutage(deps);
    const pauses = new ServicePauses(deps.steadyMs);
    const delivering = { ...deps, events: this.#wanted, settle: this.#settler.settle, isHalting, outage, pauses };
    this.#dispatcher = new Dispatcher({
      limits: deps.limits,
      origins: deps.origins,
      run: (lease, domain) => {
        const delayMs = pauses.waitMs(lease.url);
        if (delayMs === 0)
          return deliver(delivering, lease, domain).catch((error: unknown) => this.#interrupted(lease, error));
        const { progress } = lease;
        this.#settler.settle({ lease, result: { kind: 'wait', delayMs }, note: { progress } });
        return Promise.resolve(undefined);
      },
      onFreed: () => {
        if (this.#schedule.isWaitingFor(this.#dispatcher.capacity)) this.#notifier.notify();
      },
    });
    deps.metrics.reportDeliveries(() => this.#dispatcher.running);
    deps.events.onGrowth(
      () => {
        this.#notifier.notify();
        this.#passNotifier.notify();
      },
      () => this.#schedule.hasWebhooks || this.#passer.hasWebhooks,
    );
    deps.events.start();
    this.#looping = Promise.all([this.#loop(), this.#passEvents()]);
  }

  async stop(): Promise<void> {
    const { stopMs, cutOff } = this.#deps;
    this.#stopping.abort();
    this.#notifier.notify();
    this.#passNotifier.notify();
    const isDone = this.#finish().then(() => true);
    const within = (ms: number): Promise<boolean> => Promise.race([isDone, sleep(ms, false, { ref: false })]);
    if (await within(Math.max(0, stopMs - lastWordsMs))) return;
    void cutOff();
    if (await within(lastWordsMs)) return;
    this.#settler.abandon();
  }

  /** The main loop: poll, make a plan, carry it out. */
  async #loop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (this.#deps.steadyMs() - this.#polledMs >= this.#deps.pollMs) await this.#poll();
        const plan = this.#plan();
        if (plan.kind === 'sleep') await this.#notifier.sleep(plan.forMs);
        else await this.#follow(plan);
      } catch (error) {
        this.#report(error);
        await sleep(backoffMs);
      }
    }
  }

  /** Passes events for webhooks that are asleep, in a loop of its own, so nothing else delays it. */
  async #passEvents(): Promise<void> {
    const { steadyMs, pollMs } = this.#deps;
    let polledMs = -Infinity;
    while (!this.#stopping.signal.aborted) {
      try {
        const isEmptyToo = steadyMs() - polledMs >= pollMs;
        if (isEmptyToo) polledMs = steadyMs();
        const woken = await this.#passer.pass({ isEmptyToo });
        for (const number of woken) this.#schedule.woken(number);
        if (woken.length > 0) this.#notifier.notify();
        await this.#passNotifier.sleep(pollMs);
      } catch (error) {
        this.#report(error);
        await sleep(backoffMs);
      }
    }
  }

  #plan(): Plan {
    const { steadyMs } = this.#deps;
    const situation = {
      head: this.#wanted.headFor({ isOwn: false }),
      registrations: this.#deps.events.registrations,
      capacity: this.#dispatcher.capacity,
      isPaused: this.#isPaused,
    };
    return this.#schedule.plan({ nowMs: steadyMs(), ...situation });
  }

  /** Checks whether deliveries are paused, undoes a jump of the store's clock, and deletes what is too old. */
  async #poll(): Promise<void> {
    const { steadyMs, deliveries, retryDelaysMs } = this.#deps;
    this.#polledMs = steadyMs();
    this.#schedule.recheckAll();
    this.#isPaused = await deliveries.isPaused();
    if (this.#isPaused) this.#handBack(this.#dispatcher.drain());
    if (steadyMs() - this.#clearedMs < clearEveryMs) return;
    this.#clearedMs = steadyMs();
    await deliveries.bringForward(longestWaitsMs(retryDelaysMs));
    await clearOld(this.#deps);
  }

  async #follow(plan: Plan & { kind: 'claim' }): Promise<void> {
    const claims: Promise<void>[] = [];
    for (const number of plan.queues) {
      const reply = this.#claim(number, plan);
      claims.push(reply.then((claim) => this.#add(number, claim)));
      // The store runs all that it has read before it replies to any of it. While nothing is under way, the first claim
      // is therefore sent alone.
      if (claims.length === 1 && this.#dispatcher.running === 0) await reply.catch(() => undefined);
    }
    // All claims end before any queue is claimed again.
    for (const claim of await Promise.allSettled(claims)) if (claim.status === 'rejected') throw claim.reason;
    this.#isFailing = false;
  }

  async #claim(number: number, { most, mostBacklog }: Plan & { kind: 'claim' }): Promise<Claim> {
    const { deliveries, events } = this.#deps;
    const queue = queueNumber(number);
    const head = this.#wanted.headFor(queue);
    const request = { head, most, mostBacklog, ...this.#tokenFor(number) };
    this.#schedule.claiming(number, { head, registrations: events.registrations });
    const claim = await deliveries.claim(queue, request).catch((error: unknown) => {
      this.#schedule.unanswered(number);
      throw error;
    });
    this.#tokens.delete(number);
    return claim;
  }

  /** Passes the leases of a claim to the dispatcher. Those that it refuses go to the end of the line. */
  async #add(number: number, claim: Claim): Promise<void> {
    const refused: Lease[] = [];
    for (const lease of claim.leases) {
      while (this.#dispatcher.pause !== undefined) await this.#dispatcher.pause;
      const hasBacklog = this.#schedule.hasBacklog(lease.progress.cursor);
      if (this.#stopping.signal.aborted || !this.#dispatcher.add(lease, { hasBacklog })) refused.push(lease);
    }
    const granted = claim.leases.length;
    this.#schedule.claimed(number, claim, { nowMs: this.#deps.steadyMs(), granted, refused: refused.length });
    this.#handBack(refused);
  }

  /**
   * Returns the token of a queue's next claim, the same until one gets a reply: a repeated claim finds what it leased.
   */
  #tokenFor(number: number): { token: string; isRepeated: boolean } {
    const last = this.#tokens.get(number);
    const next =
      last === undefined
        ? { token: `${this.#name}.${(this.#claims += 1).toString(36)}`, isRepeated: false }
        : { token: last.token, isRepeated: true };
    this.#tokens.set(number, next);
    return next;
  }

  #handBack(leases: readonly Lease[]): void {
    for (const lease of leases) {
      const { progress } = lease;
      this.#settler.settle({ lease, result: { kind: 'yield' }, note: { progress } });
    }
  }

  #saved(settlements: readonly Settlement[]): void {
    const nowMs = this.#deps.steadyMs();
    for (const { lease, result, note } of settlements) {
      const { queue } = lease;
      if (queue.isOwn && result.kind === 'advance') this.#passer.touch(queue);
      const situation = { nowMs, isBehind: note.progress.cursor < this.#wanted.headFor(queue) };
      if (this.#schedule.settled(queue.number, result, situation)) this.#notifier.notify();
    }
  }

  /** Finishes what is under way, and returns the other leases. */
  async #finish(): Promise<void> {
    await this.#looping;
    this.#handBack(this.#dispatcher.drain());
    await this.#dispatcher.idle();
    await this.#settler.idle();
  }

  /** Logs why a run ended. Nothing is lost: the webhook is leased again once this lease has expired, at the latest. */
  #interrupted(lease: Lease, error: unknown): undefined {
    const { log } = this.#deps;
    if (error instanceof StoreUnreachable) {
      log.warn({ webhook_id: lease.id, reason: error.message }, 'delivery interrupted');
    } else log.error({ webhook_id: lease.id, err: error }, 'unexpected error');
    return undefined;
  }

  #report(error: unknown): void {
    const { log } = this.#deps;
    if (!(error instanceof StoreUnreachable)) log.error({ err: error }, 'unexpected error');
    else if (!this.#isFailing) log.warn({ reason: error.message }, 'webhooks cannot be leased now; retrying');
    this.#isFailing = error instanceof StoreUnreachable;
  }
}

/**
 * Deletes events and reports that are too old, and the stopped webhooks that missed any of those events. An event that
 * an active webhook waits for stays, however old the clock says it is.
 */
const clearOld = async ({ events, webhooks, reports }: EngineDeps): Promise<void> => {
  const [oldest] = await events.read(0, 1);
  const left = await events.trim(await webhooks.lowestCursor());
  if (oldest !== undefined && oldest.number !== left?.number) await webhooks.forgetStopped(oldest.number);
  await reports.expire();
};

const queueNumber = (number: number): Queue => {
  const queue = queues[number];
  if (queue === undefined) throw new RangeError(`There is no queue ${number}.`);
  return queue;
};
