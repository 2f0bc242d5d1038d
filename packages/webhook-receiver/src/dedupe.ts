/**
 * Remembers which events are handled, so that one that is delivered twice is handled once. What is kept of an event is
 * a lease while it is being handled, and a mark once it is done.
 */

/** One attempt at handling an event. */
export interface Attempt {
  /** The event's id. */
  id: string;
  /** Names this attempt: a later one of the same event is not ended by it. */
  token: string;
}

/** `new`: handle it, the lease is this attempt's. `pending`: another attempt has the lease. `done`: it was handled. */
export type Begun = 'new' | 'pending' | 'done';

/** A store of handled events. It throws or rejects when it cannot tell; the sender is then asked to come again. */
export interface Dedupe {
  /** Takes the lease of an event that is neither done nor leased. Must be atomic. */
  begin(attempt: Attempt, leaseMs: number): Begun | Promise<Begun>;
  /** Marks the event as done, for longer than its sender tries. */
  commit(attempt: Attempt, ttlMs: number): unknown;
  /** Gives the lease back, if it is still this attempt's. */
  rollback(attempt: Attempt): unknown;
}

/** Most events that the memory store keeps. */
const maxEntries = 100_000;

/**
 * Of this process alone: it forgets at a restart, and several processes share nothing. Holds 100,000 events; the
 * oldest go first. `now` gives milliseconds since 1970.
 */
export const memoryDedupe = ({ now = Date.now }: { now?: (() => number) | undefined } = {}): Dedupe => {
  /** In the order of writing. Without a token an event is done. */
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
