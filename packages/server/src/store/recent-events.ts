/** The newest events of the log in memory: all of them after some number, ascending, found by their numbers. */
import { deliveredEventTypes, type DeliveredEventType, type LoggedEventType } from '@bot-directory/contract';
import type { EventId } from '../base/ids.ts';

/** An event of the log. `body` is the envelope that is sent; `publishedAtMs` is by the store's clock. */
export type LoggedEvent = {
  readonly number: number;
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly publishedAtMs: number;
  readonly body: Buffer;
  /** The number of an event that is no longer in the log, because of this one. */
  readonly withdraws?: number;
};

/** An event that webhooks are sent. */
export type DeliveredEvent = LoggedEvent & { readonly type: DeliveredEventType };

/** Whether webhooks are sent an event. */
export const isDelivered = (event: LoggedEvent): event is DeliveredEvent =>
  deliveredEventTypes.some((type) => type === event.type);

const most = 2_000;

/** A memory that begins after the number it is made with. */
export class RecentEvents {
  /** The number of the last event there is, and of the last that webhooks are sent, as far as that is known. */
  head: number;
  deliveredHead: number;
  #from: number;
  #events: LoggedEvent[] = [];

  constructor(head: number) {
    this.head = head;
    this.deliveredHead = head;
    this.#from = head;
  }

  /** Adds events that follow those it has. */
  append(events: readonly LoggedEvent[]): void {
    this.#events.push(...events);
    this.head = events.at(-1)?.number ?? this.head;
    this.deliveredHead = events.findLast(isDelivered)?.number ?? this.deliveredHead;
    const withdrawn = new Set(events.flatMap(({ withdraws }) => withdraws ?? []));
    if (withdrawn.size > 0) this.#events = this.#events.filter(({ number }) => !withdrawn.has(number));
    if (this.#events.length <= most) return;
    const dropped = this.#events.splice(0, this.#events.length - most);
    this.#from = dropped.at(-1)?.number ?? this.#from;
  }

  /** Says that there are no events up to this number but those it has. */
  skipTo(head: number): void {
    this.head = Math.max(this.head, head);
  }

  /** Forgets what the log itself no longer has. */
  forgetBefore(number: number): void {
    this.#events.splice(0, this.#indexAfter(number - 1));
  }

  /** Up to so many events after a number; nothing when it does not know all of them. */
  after(number: number, count: number): readonly LoggedEvent[] | undefined {
    if (number < this.#from) return undefined;
    const start = this.#indexAfter(number);
    return this.#events.slice(start, start + count);
  }

  /** The index of the first event after a number, by halving. */
  #indexAfter(number: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.number ?? 0) > number) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
