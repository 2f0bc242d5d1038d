/**
 * Remembers which events were handled, so that an event delivered twice is handled once. While an event is being
 * handled, the store holds a lease for it; afterwards, a mark that it is done.
 */

/** One attempt at handling an event. */
export interface Attempt {
  /** The event's id. */
  id: string;
  /** Identifies this attempt, so that it cannot end a later one of the same event. */
  token: string;
}

/** `new`: this attempt has the lease; handle the event. `pending`: another attempt has it. `done`: it was handled. */
export type Begun = 'new' | 'pending' | 'done';

/** A store of handled events. If it cannot tell, it throws or rejects; the sender then retries. */
export interface Dedupe {
  /** Takes the event's lease, unless the event is done or leased. Must be atomic. */
  begin(attempt: Attempt, leaseMs: number): Begun | Promise<Begun>;
  /** Marks the event as done, for longer than the sender retries. */
  commit(attempt: Attempt, ttlMs: number): unknown;
  /** Releases the lease, if this attempt still has it. */
  rollback(attempt: Attempt): unknown;
}

/** How many events the in-memory store keeps. */
const maxEntries = 100_000;

/**
 * Makes an in-memory store. A restart clears it, and processes do not share it. It holds 100,000 events and drops the
 * oldest first. `now` returns milliseconds since 1970.
 */
export const memoryDedupe = ({ now = Date.now }: { now?: (() => number) | undefined } = {}): Dedupe => {
  /** In the order of writing. An entry without a token is done. */
  const entries = new Map<string, { token: string | undefined; until: number }>();
  const write = (id: string, ms: number, token?: string): void => {
    entries.delete(id);
    entries.set(id, { token, until: now() + ms });
    const [oldest = ''] = entries.size > maxEntries ? entries.keys() : [];
    entries.delete(oldest);
  };
  return {
    begin({ id, token }, leaseMs) {
      const entry = entries.get(id);
      if (entry && entry.until > now()) return entry.token ? 'pending' : 'done';
      write(id, leaseMs, token);
      return 'new';
    },
    commit: ({ id }, ttlMs) => write(id, ttlMs),
    rollback({ id, token }) {
      if (entries.get(id)?.token === token) entries.delete(id);
    },
  };
};
