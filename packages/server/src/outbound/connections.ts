/**
 * All connections to webhooks for one purpose. A request goes out on a kept connection if there is one, on a new one
 * otherwise, within one deadline for the wait, the connection, the head and the body (decision 0089).
 */
import { ClosedUnanswered, Connection, DeadlineExceeded, hangUp } from './connection.ts';
import type { OpenConnection } from './open-connection.ts';
import type { Response } from './response-reader.ts';

/** The connections are closed for good: the process stops. */
export class ConnectionsClosed extends Error {
  override readonly name = 'ConnectionsClosed';
  constructor() {
    super('the process stops');
  }
}

/** Called for every new connection, with the address that it goes to. */
export type OnConnect = (origin: string, address: string) => void;

type Options = {
  readonly open: OpenConnection;
  readonly onConnect: OnConnect;
  /** Most connections in use to one origin. */
  readonly perOrigin: number;
  /** Most connections that are kept idle. */
  readonly idle: number;
};

/** One request. `isRetry`: it goes out on a new connection, for which the name is resolved again. */
export type Request = {
  readonly origin: string;
  readonly bytes: Buffer;
  readonly timeoutMs: number;
  readonly isRetry?: boolean | undefined;
};

/** The connections of one sender. */
export class Connections {
  readonly #open: OpenConnection;
  readonly #onConnect: OnConnect;
  readonly #turns: Turns;
  readonly #idle: IdleConnections<Connection>;
  readonly #busy = new Set<Connection>();
  readonly #opening = new Set<AbortController>();
  #isClosed = false;

  constructor({ open, onConnect, perOrigin, idle }: Options) {
    this.#open = open;
    this.#onConnect = onConnect;
    this.#turns = new Turns(perOrigin);
    this.#idle = new IdleConnections(idle);
  }

  /** Sends a request. Rejects with DeadlineExceeded, ConnectionsClosed, BadResponse or the fault of the connection. */
  async send({ origin, bytes, timeoutMs, isRetry = false }: Request): Promise<Response> {
    const endsAtMs = performance.now() + timeoutMs;
    await this.#turns.enter(origin, timeoutMs);
    try {
      const kept = isRetry ? undefined : this.#idle.take(origin);
      const response = kept === undefined ? undefined : await this.#postAgain(kept, bytes, endsAtMs);
      return response ?? (await this.#post(await this.#connect(origin, endsAtMs), bytes, endsAtMs));
    } finally {
      this.#turns.leave(origin);
    }
  }

  /** Closes everything; what is under way is rejected, and so is what comes later. */
  close(): void {
    this.#isClosed = true;
    const reason = new ConnectionsClosed();
    for (const opening of this.#opening) opening.abort(reason);
    for (const connection of this.#busy) connection.close(reason);
    this.#idle.clear();
  }

  /** Returns `undefined` if the server was closing the connection, so the request has to be sent on another. */
  async #postAgain(kept: Connection, bytes: Buffer, endsAtMs: number): Promise<Response | undefined> {
    try {
      return await this.#post(kept, bytes, endsAtMs);
    } catch (error) {
      if (error instanceof ClosedUnanswered) return undefined;
      throw error;
    }
  }

  async #post(connection: Connection, bytes: Buffer, endsAtMs: number): Promise<Response> {
    this.#busy.add(connection);
    try {
      const { response, keepMs } = await connection.post(bytes, endsAtMs - performance.now());
      if (keepMs !== undefined) this.#idle.put(connection, keepMs);
      return response;
    } finally {
      this.#busy.delete(connection);
    }
  }

  #connect(origin: string, endsAtMs: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ConnectionsClosed());
      const opening = new AbortController();
      const end = (): void => {
        clearTimeout(deadline);
        this.#opening.delete(opening);
      };
      const deadline = setTimeout(() => {
        const late = new DeadlineExceeded();
        end();
        reject(late);
        hangUp(() => opening.abort(late));
      }, endsAtMs - performance.now());
      this.#opening.add(opening);
      this.#open(origin, opening.signal).then(
        (socket) => {
          end();
          if (socket.remoteAddress !== undefined) this.#onConnect(origin, socket.remoteAddress);
          resolve(new Connection(origin, socket, (closed) => this.#idle.delete(closed)));
        },
        (error: unknown) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }
}

type Origin = { running: number; readonly waiting: Set<() => void> };

/** Turns to use an origin: so many at once, and the others wait, first come, first served. */
class Turns {
  readonly #most: number;
  readonly #origins = new Map<string, Origin>();

  /** `most`: turns at once to one origin. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for a turn, if it has to. Rejects with DeadlineExceeded. */
  enter(name: string, timeoutMs: number): Promise<void> | undefined {
    const origin = this.#origins.get(name);
    if (origin === undefined) this.#origins.set(name, { running: 1, waiting: new Set() });
    else if (origin.running < this.#most) origin.running += 1;
    else return this.#wait(origin, timeoutMs);
    return undefined;
  }

  /** Ends a turn, which goes to the first that waits. */
  leave(name: string): void {
    const origin = this.#origins.get(name);
    if (origin === undefined) return;
    const [next] = origin.waiting;
    if (next !== undefined) next();
    else if ((origin.running -= 1) === 0) this.#origins.delete(name);
  }

  #wait({ waiting }: Origin, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(deadline);
        waiting.delete(start);
        resolve();
      };
      const deadline = setTimeout(() => {
        waiting.delete(start);
        reject(new DeadlineExceeded());
      }, timeoutMs);
      waiting.add(start);
    });
  }
}

/** What is kept idle. */
type Kept = { readonly origin: string; readonly isOpen: boolean; close(reason: Error): void };

const sweepMs = 1_000;

/** Measured, rounded up: the socket, its TLS state, and what is remembered of it. */
const bytesPerConnection = 64_000;
const memoryShare = 8;
const [leastIdle, mostIdle] = [64, 4_096];

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

  /** Closes them all. */
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
