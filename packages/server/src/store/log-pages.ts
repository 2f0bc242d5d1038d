/**
 * Pages of the event log as the store has it. A page that is full stays the same until an event leaves the log, so
 * readers share it; one check of the log's state in flight serves every reader that waited when it was sent.
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { sharedByWaiters } from '../base/limiter.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';
import { keys } from './keys.ts';
import type { Store } from './redis.ts';

/** A state of the log. `order`: of two, the one with the higher number was read later. */
export type LogState = { readonly past: string; readonly head: number; readonly order: number };

/**
 * A page of a state: events in order. `version`: pages of one place and size with equal versions are equal. `isLast`:
 * nothing follows in that state.
 */
export type LogPage = { readonly events: readonly LoggedEvent[]; readonly version: string; readonly isLast: boolean };

const maxKeptBytes = 16 * 1_048_576;
/** What an event takes besides its envelope. */
const overheadBytes = 300;

/** The pages of one log. */
export class LogPages {
  /** Reads the state of the log. It has every event that was acknowledged before the call. */
  readonly check: () => Promise<LogState>;
  readonly #log: EventLog;
  readonly #kept = new BoundedCache<LogPage>({
    max: maxKeptBytes,
    sizeOf: (key, { events }) => events.reduce((sum, { body }) => sum + body.length + overheadBytes, key.length),
  });
  readonly #underWay = new Map<string, Promise<LogPage>>();

  constructor(store: Store, log: EventLog) {
    this.#log = log;
    let order = 0;
    this.check = sharedByWaiters(async () => {
      const reply = await store.script('read-log-state', [keys.state, keys.events], []);
      const [lineage, head, gone] = reply as [lineage: string, head: string, gone: number];
      return { past: `${lineage}.${gone}`, head: Number(head), order: (order += 1) };
    });
  }

  /** Up to `most` events after `number`, as they were in this state. */
  read(state: LogState, number: number, most: number): LogPage | Promise<LogPage> {
    const place = `${number} ${most}`;
    const keyOf = (version: string): string => `${version} ${place}`;
    const latest = `${state.past}.${state.head}`;
    const kept = this.#kept.get(keyOf(state.past)) ?? this.#kept.get(keyOf(latest));
    if (kept !== undefined) return kept;
    const key = keyOf(latest);
    let made = this.#underWay.get(key);
    if (made === undefined) {
      made = this.#log
        .read(number, most + 1)
        .then((found) => {
          const events = found.filter((event) => event.number <= state.head);
          const isLast = events.length <= most;
          const version = isLast ? latest : state.past;
          const page = { events: events.slice(0, most), version, isLast };
          this.#kept.set(keyOf(version), page);
          return page;
        })
        .finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, made);
    }
    return made;
  }
}
