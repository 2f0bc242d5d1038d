/** Connections that are kept for the next request to their origin. */

/** An idle connection. */
type Kept = { readonly origin: string; readonly isOpen: boolean; close(reason: Error): void };

const sweepMs = 1_000;

/** Measured, rounded up: the socket, its TLS state, and what is remembered of it. */
const bytesPerConnection = 64_000;
const memoryShare = 8;
const leastIdle = 64;
const mostIdle = 4_096;

/** How many may be kept idle in a process that may use this much memory. */
export const idleLimit = (memoryBytes: number): number =>
  Math.max(Math.min(mostIdle, Math.floor(memoryBytes / memoryShare / bytesPerConnection)), leastIdle);

/**
 * Connections that are kept for the next request to their origin, until their time is over. Bounded in number: the
 * least recently used are closed first.
 */
export class IdleConnections<C extends Kept> {
  readonly #most: number;
  /** When each has to be closed, by a monotonic clock. The most recently used one is last. */
  readonly #closeAtMs = new Map<C, number>();
  /** By origin, the most recently used one last. */
  readonly #byOrigin = new Map<string, C[]>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#closeAtMs.size;
  }

  /** Takes the most recently used one, if there is one. */
  take(origin: string): C | undefined {
    for (;;) {
      const connection = this.#byOrigin.get(origin)?.at(-1);
      if (connection === undefined) return undefined;
      const isInTime = performance.now() < (this.#closeAtMs.get(connection) ?? 0);
      this.delete(connection);
      if (isInTime && connection.isOpen) return connection;
      connection.close(idleFor);
    }
  }

  /** Keeps a connection for `keepMs`. */
  put(connection: C, keepMs: number): void {
    this.#closeAtMs.set(connection, performance.now() + keepMs);
    const others = this.#byOrigin.get(connection.origin);
    if (others === undefined) this.#byOrigin.set(connection.origin, [connection]);
    else others.push(connection);
    for (const oldest of this.#closeAtMs.keys()) {
      if (this.size <= this.#most) break;
      this.#close(oldest);
    }
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  delete(connection: C): void {
    if (!this.#closeAtMs.delete(connection)) return;
    const others = this.#byOrigin.get(connection.origin) ?? [];
    const rest = others.filter((other) => other !== connection);
    if (rest.length > 0) this.#byOrigin.set(connection.origin, rest);
    else this.#byOrigin.delete(connection.origin);
  }

  clear(): void {
    for (const connection of this.#closeAtMs.keys()) this.#close(connection);
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const [connection, closeAtMs] of this.#closeAtMs) if (nowMs >= closeAtMs) this.#close(connection);
    if (this.size === 0) this.clear();
  }

  #close(connection: C): void {
    this.delete(connection);
    connection.close(idleFor);
  }
}

const idleFor = new Error('the connection was idle');
