/**
 * TLS sessions of the servers that were connected to, so that the next connection costs half a handshake. Bounded in
 * bytes: the least recently used are dropped first.
 */

/** A session from a server. `verifiedMs`: when its certificate was last verified, by a monotonic clock. */
export type TlsSession = { readonly session: Buffer; readonly verifiedMs: number };

/** Roughly what an entry takes besides its key and its session. */
const entryBytes = 300;

/** The memory of one process. */
export class TlsSessions {
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  /** The most recently used one is last. */
  readonly #sessions = new Map<string, TlsSession>();
  #bytes = 0;

  /** `maxAgeMs`: a resumed session shows no certificate, so a full handshake is made after this time. */
  constructor({ maxBytes, maxAgeMs }: { maxBytes: number; maxAgeMs: number }) {
    this.#maxBytes = maxBytes;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The number of bytes it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The session to resume with a server, if there is one. */
  get(origin: string, nowMs: number): TlsSession | undefined {
    const found = this.#sessions.get(origin);
    if (found === undefined) return undefined;
    this.delete(origin);
    if (nowMs - found.verifiedMs >= this.#maxAgeMs) return undefined;
    this.set(origin, found);
    return found;
  }

  /** Stores a session in place of the previous one. */
  set(origin: string, session: TlsSession): void {
    this.delete(origin);
    this.#sessions.set(origin, session);
    this.#bytes += sizeOf(origin, session);
    for (const oldest of this.#sessions.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.delete(oldest);
    }
  }

  delete(origin: string): void {
    const found = this.#sessions.get(origin);
    if (found === undefined) return;
    this.#sessions.delete(origin);
    this.#bytes -= sizeOf(origin, found);
  }
}

const sizeOf = (origin: string, { session }: TlsSession): number => origin.length + session.length + entryBytes;
