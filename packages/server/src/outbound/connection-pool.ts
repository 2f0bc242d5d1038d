/**
 * All connections to webhooks for one purpose. A request goes out on a kept connection if there is one, on a new one
 * otherwise, within one deadline for the wait, the connection, the head and the body (decision 0089).
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { ClosedUnanswered, Connection, DeadlineExceeded, hangUp } from './connection.ts';
import { IdleConnections } from './idle-connections.ts';
import type { OpenConnection } from './open-connection.ts';
import { Permits } from './permits.ts';
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
  /** Most requests at once to one origin. Without it, the caller sees to that. */
  readonly perOrigin?: number;
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

/** How long an origin gets no kept connections after one was out of step. */
const unkeptMs = 3_600_000;
const mostUnkept = 10_000;

export class ConnectionPool {
  readonly #open: OpenConnection;
  readonly #onConnect: OnConnect;
  readonly #permits: Permits | undefined;
  readonly #idle: IdleConnections<Connection>;
  /** Origins whose connections are not kept, and until when, by a monotonic clock. */
  readonly #unkept = new BoundedCache<{ readonly untilMs: number }>({ max: mostUnkept });
  readonly #busy = new Set<Connection>();
  readonly #opening = new Set<AbortController>();
  #isClosed = false;

  constructor({ open, onConnect, perOrigin, idle }: Options) {
    this.#open = open;
    this.#onConnect = onConnect;
    this.#permits = perOrigin === undefined ? undefined : new Permits(perOrigin);
    this.#idle = new IdleConnections(idle);
  }

  /** Sends a request. Rejects with DeadlineExceeded, ConnectionsClosed, BadResponse or the fault of the connection. */
  async send({ origin, bytes, timeoutMs, isRetry = false }: Request): Promise<Response> {
    const endsAtMs = performance.now() + timeoutMs;
    await this.#permits?.acquire(origin, timeoutMs);
    try {
      const kept = isRetry || this.#isUnkept(origin) ? undefined : this.#idle.take(origin);
      const response = kept === undefined ? undefined : await this.#postAgain(kept, bytes, endsAtMs);
      return response ?? (await this.#post(await this.#connect(origin, endsAtMs), bytes, endsAtMs));
    } finally {
      this.#permits?.release(origin);
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
      if (keepMs !== undefined && !this.#isUnkept(connection.origin)) this.#idle.put(connection, keepMs);
      else connection.close(notKept);
      return response;
    } finally {
      this.#busy.delete(connection);
      if (connection.isOutOfStep) this.#unkept.set(connection.origin, { untilMs: performance.now() + unkeptMs });
    }
  }

  #isUnkept(origin: string): boolean {
    return performance.now() < (this.#unkept.get(origin)?.untilMs ?? 0);
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

const notKept = new Error('the connection is not kept');
