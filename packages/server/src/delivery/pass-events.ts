/**
 * Passes events for the webhooks that are asleep: those with a subscription of their own that have all they want so
 * far. It wakes those that may want one of the events; the others cost nothing, however many they are. Any number of
 * processes may do this at the same time.
 */
import type { LoggedEvent } from '../domain/event.ts';
import { topicsOfEvent } from '../domain/subscription.ts';
import type { Deliveries, Passed, Passing } from '../store/webhooks/deliveries.ts';
import type { EventLog } from '../store/events/event-log.ts';
import { queues, type Queue } from '../store/keys.ts';

type Deps = {
  readonly deliveries: Pick<Deliveries, 'pass'>;
  readonly events: Pick<EventLog, 'head' | 'remembered' | 'after'>;
};

/** What is known of a queue. `isEmpty`: no webhook in it can be missing an event, as far as this process knows. */
type Known = { readonly queue: Queue; watermark: number; asleep: number; isEmpty: boolean };

/** How many events are passed at once. Each may have some hundred topics. */
const passedAtOnce = 20;

export class Passer {
  readonly #deps: Deps;
  readonly #all: readonly Known[];
  /** The topics of the events that were passed last: most queues pass the same. */
  #topics = { key: '', all: [] as readonly string[] };

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#all = queues
      .filter(({ isOwn }) => isOwn)
      .map((queue) => ({ queue, watermark: 0, asleep: 0, isEmpty: false }));
  }

  /** Whether webhooks may be asleep, or idle with a subscription. */
  get hasWebhooks(): boolean {
    return this.#all.some(({ isEmpty }) => !isEmpty);
  }

  /** Records that a webhook of a queue may have to be put to sleep. */
  touch(queue: Queue): void {
    for (const one of this.#all) if (one.queue.number === queue.number) one.isEmpty = false;
  }

  /** Passes all events so far. `isEmptyToo`: others may have filled queues that were empty. Returns queues to serve. */
  async pass({ isEmptyToo }: { readonly isEmptyToo: boolean }): Promise<number[]> {
    const passing = this.#all.filter(({ isEmpty }) => isEmptyToo || !isEmpty);
    const behind = await Promise.allSettled(passing.map((one) => this.#passOne(one)));
    for (const result of behind) if (result.status === 'rejected') throw result.reason;
    return passing.flatMap(({ queue }, i) => {
      const result = behind[i];
      return result?.status === 'fulfilled' && result.value > 0 ? [queue.number] : [];
    });
  }

  /** Returns how many webhooks are behind. */
  async #passOne(one: Known): Promise<number> {
    const { deliveries, events } = this.#deps;
    if (one.isEmpty) {
      // Usually no webhook has come meanwhile. Then no event has to be examined.
      const { head } = events;
      const looking = deliveries.pass(one.queue, { from: head, through: head, topics: [] });
      const { asleep, idle, behind } = await this.#record(one, looking);
      if (asleep + idle === 0) return behind;
    }
    for (;;) {
      const { isLast, ...passing } = await this.#passingAfter(one);
      const { behind, isPassed } = await this.#record(one, deliveries.pass(one.queue, passing));
      if (isPassed && isLast) return behind;
    }
  }

  /** The next events to pass. With no webhook asleep, events that this process does not remember are skipped. */
  async #passingAfter({ watermark, asleep }: Known): Promise<Passing & { readonly isLast: boolean }> {
    const { events } = this.#deps;
    const { head } = events;
    const page =
      events.remembered(watermark, passedAtOnce) ??
      (asleep === 0 ? undefined : await events.after(watermark, passedAtOnce));
    if (page === undefined) {
      const from = Math.max(watermark, head);
      return { from, through: from, topics: [], isLast: true };
    }
    const isLast = page.length < passedAtOnce;
    const last = page.at(-1)?.number ?? watermark;
    return { from: watermark, through: isLast ? Math.max(last, head) : last, topics: this.#topicsOf(page), isLast };
  }

  #topicsOf(page: readonly LoggedEvent[]): readonly string[] {
    const key = `${page[0]?.id ?? ''} ${page.at(-1)?.id ?? ''}`;
    if (key !== this.#topics.key)
      this.#topics = {
        key,
        all: [...new Set(page.flatMap((event) => (event.isTrue ? topicsOfEvent(event.facts) : [])))],
      };
    return this.#topics.all;
  }

  async #record(one: Known, passing: Promise<Passed>): Promise<Passed> {
    // A webhook that settles meanwhile clears it again.
    one.isEmpty = true;
    const result = await passing;
    const { watermark, asleep, idle } = result;
    Object.assign(one, { watermark, asleep });
    if (asleep + idle > 0) one.isEmpty = false;
    return result;
  }
}
