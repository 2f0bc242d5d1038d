/** The newest events of the log in memory: all after some number, ascending, found by number. */
import { deliveredEventTypes, type DeliveredEventType, type LoggedEventType } from '@bot-directory/contract';
import type { EventId } from '../base/ids.ts';

/** An event of the log. `body` is the envelope that is sent; `publishedAtMs` is by the store's clock. */
export type LoggedEvent = {
  readonly number: number;
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly publishedAtMs: number;
  readonly body: Buffer;
  /** The number of the event that this one withdrew from the log. */
  readonly withdraws?: number;
};

/** An event of a delivered type. */
export type DeliveredEvent = LoggedEvent & { readonly type: DeliveredEventType };

/** Whether webhooks are sent an event. */
export const isDelivered = (event: LoggedEvent): event is DeliveredEvent => isDeliveredType(event.type);

/** Whether webhooks are sent events of a type. */
export const isDeliveredType = (type: LoggedEventType): boolean => deliveredEventTypes.some((one) => one === type);

const most = 2_000;

/** Makes a memory that begins after this number. */
export class RecentEvents {
  /** The number of the last event, and of the last one of a delivered type, as far as known. */
  head: number;
  deliveredHead: number;
  #from: number;
  #events: LoggedEvent[] = [];

  constructor(head: number) {
    this.head = head;
    this.deliveredHead = head;
    this.#from = head;
  }

  /** Adds events that follow the existing ones. */
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

  /** Records that up to this number there are no other events. */
  skipTo(head: number): void {
    this.head = Math.max(this.head, head);
  }

  /** Drops events that the log no longer has. */
  forgetBefore(number: number): void {
    this.#events.splice(0, this.#indexAfter(number - 1));
  }

  /** Up to `count` events after a number; undefined if it does not have all of them. */
  after(number: number, count: number): readonly LoggedEvent[] | undefined {
    if (number < this.#from) return undefined;
    const start = this.#indexAfter(number);
    return this.#events.slice(start, start + count);
  }

  /** The index of the first event after a number, by binary search. */
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
