/** The event log as webhooks see it: only events of the types that are delivered. */
import type { EventLog } from './event-log.ts';
import { isDelivered, type DeliveredEvent } from './recent-events.ts';

/** The part of the log that the delivery engine uses. */
export type DeliveredEvents = ReturnType<typeof deliveredEvents>;

/** Makes this view of a log. */
export const deliveredEvents = (log: EventLog) => ({
  /** The number of the last delivered event; right after a start, of the last event of any type. */
  get head(): number {
    return log.deliveredHead;
  },

  /** The next event after `number`, if this process remembers it and no other event comes before it. */
  remembered: (number: number): DeliveredEvent | undefined => {
    const event = log.remembered(number, 1)?.[0];
    return event !== undefined && isDelivered(event) ? event : undefined;
  },

  /** Up to `most` events after `number`, in order. */
  after: async (number: number, most: number): Promise<readonly DeliveredEvent[]> => {
    for (let after = number; ;) {
      const page = await log.after(after, most);
      const delivered = page.filter(isDelivered);
      const last = page.at(-1);
      if (delivered.length > 0 || last === undefined || page.length < most) return delivered;
      after = last.number;
    }
  },

  onGrowth: (listener: () => void): void => log.onGrowth(listener),
  start: (): void => log.start(),
});
