/** The newest events of the log in memory: all after some number, ascending, found by number. */
import { defaultEventTypes, type Bot, type LoggedEventType } from '@bot-directory/contract';
import type { EventId } from '../base/ids.ts';
import { BotFacts, wants, type EventFacts, type Interest } from '../domain/interest.ts';

/**
 * An event of the log. `body` is the envelope that is sent; `publishedAtMs` is by the store's clock. `about` is the
 * bot as JSON, if the envelope lacks what filters look at.
 */
export type LoggedEvent = {
  readonly number: number;
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly publishedAtMs: number;
  readonly body: Buffer;
  /** The number of the event that this one withdrew from the log. */
  readonly withdraws?: number;
  readonly about?: string;
};

/** Whether webhooks without an interest of their own are sent events of a type. */
export const isDeliveredType = (type: LoggedEventType): boolean => defaultEventTypes.includes(type);

/** Many webhooks and readers look at an event. */
const knownFacts = new WeakMap<LoggedEvent, EventFacts>();

/** What interests see of an event. */
export const factsOf = (event: LoggedEvent): EventFacts => {
  const known = knownFacts.get(event);
  if (known !== undefined) return known;
  const { type, body, about = '' } = event;
  const bot =
    type === 'bot.removed'
      ? about === ''
        ? undefined
        : (JSON.parse(about) as Bot)
      : (JSON.parse(body.toString()) as { data: Bot }).data;
  const facts = { type, bot: bot && new BotFacts(bot) };
  knownFacts.set(event, facts);
  return facts;
};

/** Whether an event is for someone with this interest. */
export const isWanted = (event: LoggedEvent, interest: Interest | undefined): boolean =>
  interest === undefined ? isDeliveredType(event.type) : wants(interest, factsOf(event));

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
    this.deliveredHead = events.findLast(({ type }) => isDeliveredType(type))?.number ?? this.deliveredHead;
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
