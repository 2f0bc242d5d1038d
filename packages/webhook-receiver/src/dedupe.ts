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

/** A store of handled events. It rejects when it cannot tell; the sender is then asked to come again. */
export interface Dedupe {
  /** Takes the lease of an event that is neither done nor leased. Must be atomic. */
  begin(attempt: Attempt, leaseMs: number): Promise<Begun>;
  /** Marks the event as done, for longer than its sender tries. */
  commit(attempt: Attempt, ttlMs: number): Promise<unknown>;
  /** Gives the lease back, if it is still this attempt's. */
  rollback(attempt: Attempt): Promise<unknown>;
}

/** How much the memory store holds. */
export interface MemoryDedupeOptions {
  /** Most events kept; the oldest go first. 100,000 unless given. */
  maxEntries?: number | undefined;
  /** Milliseconds since 1970. `Date.now` unless given. */
  now?: (() => number) | undefined;
}

/** Of this process alone: it forgets at a restart, and several processes share nothing. */
export const memoryDedupe = ({ maxEntries = 100_000, now = Date.now }: MemoryDedupeOptions = {}): Dedupe => {
  /** In the order of writing. Without a token an event is done. */
  const entries = new Map<string, { token?: string; until: number }>();
  const write = (id: string, entry: { token?: string; until: number }): void => {
    entries.delete(id);
    entries.set(id, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
  };
  return {
    begin({ id, token }, leaseMs) {
      const entry = entries.get(id);
      if (entry !== undefined && entry.until > now()) return Promise.resolve(entry.token === undefined ? 'done' : 'pending');
      write(id, { token, until: now() + leaseMs });
      return Promise.resolve('new');
    },
    commit({ id }, ttlMs) {
      write(id, { until: now() + ttlMs });
      return Promise.resolve();
    },
    rollback({ id, token }) {
      if (entries.get(id)?.token === token) entries.delete(id);
      return Promise.resolve();
    },
  };
};
