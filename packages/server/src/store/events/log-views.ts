/**
 * The event log as its readers see it: webhooks, which get the events that they want, and clients of the API, which
 * read it page by page.
 */
import { limits } from '@bot-directory/contract';
import { BoundedCache } from '../../base/bounded-cache.ts';
import { sharedByKey, sharedByWaiters } from '../../base/limiter.ts';
import { isWanted, type LoggedEvent } from '../../domain/event.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { pageSize, type EventLog } from './event-log.ts';
import { keys } from '../keys.ts';
import type { Store } from '../../redis/redis.ts';

/** Events that are wanted, in order; between `after` and `through` there are no others. */
export type WantedPage = { readonly events: readonly LoggedEvent[]; readonly through: number };

/** The log as webhooks see it. */
export type DeliveredEvents = ReturnType<typeof deliveredEvents>;

/** Makes this view of a log. Without a subscription, webhooks want events of the types that are delivered to all. */
export const deliveredEvents = (log: EventLog) => ({
  /**
   * The number of the last event that webhooks may want: with subscriptions of their own, or without. Right after a
   * start, both are that of the last event of all.
   */
  headFor: ({ isOwn }: { readonly isOwn: boolean }): number => (isOwn ? log.head : log.deliveredHead),

  /** See `EventLog`. */
  get changes(): string {
    return log.changes;
  },

  /** The next event after `number`, if this process remembers it and no other event comes before it. */
  remembered: (number: number, subscription: Subscription | undefined): LoggedEvent | undefined => {
    const event = log.remembered(number, 1)?.[0];
    return event !== undefined && isWanted(event, subscription) ? event : undefined;
  },

  /**
   * Up to `most` wanted events after `number`. With a subscription, it examines a limited number of events and may
   * return none although more follow `through`.
   */
  after: async (number: number, most: number, subscription: Subscription | undefined): Promise<WantedPage> => {
    const atOnce = subscription === undefined ? most : pageSize;
    let through = number;
    let examined = 0;
    for (;;) {
      const { head } = log;
      const page = await log.after(through, atOnce);
      const events = page.filter((event) => isWanted(event, subscription)).slice(0, most);
      const isLast = page.length < atOnce;
      const last = page.at(-1)?.number ?? through;
      through = events.length === most ? (events.at(-1)?.number ?? last) : isLast ? Math.max(last, head) : last;
      examined += page.length;
      if (events.length > 0 || isLast || (subscription !== undefined && examined >= limits.eventsExamined))
        return { events, through };
    }
  },

  /**
   * How many of the next events after `number` are wanted, without those after `accepted.from` up to `accepted.to`. It
   * examines a limited number.
   */
  count: async (
    number: number,
    subscription: Subscription | undefined,
    accepted: { readonly from: number; readonly to: number } = { from: number, to: number },
  ): Promise<number> => {
    const isLacking = (event: LoggedEvent): boolean =>
      isWanted(event, subscription) && (event.number <= accepted.from || event.number > accepted.to);
    let count = 0;
    let after = number;
    for (let examined = 0; examined < limits.eventsExamined; examined += pageSize) {
      const page = await log.read(after, pageSize);
      count += page.filter(isLacking).length;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      after = last.number;
    }
    return count;
  },
});

/**
 * A state of the log and of the bots in it. `past`: while it is the same, events have the same places. `order`: of two,
 * the one with the higher number was read later.
 */
export type LogState = { readonly past: string; readonly version: string; readonly order: number };

/** A page: events in order. `isLast`: nothing follows. */
export type LogPage = { readonly events: readonly LoggedEvent[]; readonly isLast: boolean };

const maxKeptBytes = 16 * 1_048_576;
/** What an event takes besides its bot. */
const overheadBytes = 300;

/**
 * The pages of one log as the store has it. Readers share the pages of a state; one check of the log's state in flight
 * serves every reader that waited when it was sent.
 */
export class LogPages {
  /** Reads the state of the log. It has every event that was acknowledged before the call. */
  readonly check: () => Promise<LogState>;
  readonly #log: EventLog;
  readonly #kept = new BoundedCache<LogPage>({
    max: maxKeptBytes,
    sizeOf: (key, { events }) => events.reduce((sum, { bot }) => sum + bot.heldBytes + overheadBytes, key.length),
  });
  readonly #share = sharedByKey<LogPage>();

  constructor(store: Store, log: EventLog) {
    this.#log = log;
    let order = 0;
    const readState = async () =>
      (await store.script('read-log-state', [keys.state, keys.events], [])) as [
        ...[epoch: string, head: string, version: string, oldest: string],
      ];
    this.check = sharedByWaiters(async () => {
      const read = await readState();
      // Of another epoch: the store is checked before the next request.
      const [epoch, , version, oldest] = store.known.see(read[0], Number(read[1])) ? read : await readState();
      const past = `${epoch}.${oldest}`;
      return { past, version: `${past}.${version}`, order: (order += 1) };
    });
  }

  /** Up to `most` events after `number`, as they are in this state or a later one. */
  read({ version }: LogState, number: number, most: number): LogPage | Promise<LogPage> {
    const key = `${version} ${number} ${most}`;
    return (
      this.#kept.get(key) ??
      this.#share(key, async () => {
        const found = await this.#log.read(number, most + 1);
        const page = { events: found.slice(0, most), isLast: found.length <= most };
        this.#kept.set(key, page);
        return page;
      })
    );
  }
}
