/**
 * TLS sessions of the servers that were connected to, so that the next connection costs half a handshake. Bounded in
 * bytes: those not used for longest go first.
 */

/** A session that a server gave. `verifiedMs`: when its certificate was last looked at, by a clock that never goes back. */
export type TlsSession = { readonly session: Buffer; readonly verifiedMs: number };

/** About what an entry takes beside its key and its session. */
const entryBytes = 300;

/** The memory of one process. */
export class TlsSessions {
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  /** The one used last comes last. */
  readonly #sessions = new Map<string, TlsSession>();
  #bytes = 0;

  /** `maxAgeMs`: a resumed session shows no certificate, so after this time one is asked for again. */
  constructor({ maxBytes, maxAgeMs }: { maxBytes: number; maxAgeMs: number }) {
    this.#maxBytes = maxBytes;
    this.#maxAgeMs = maxAgeMs;
  }

  /** How many bytes it holds. */
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

  /** Remembers a session in place of the one before. */
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
