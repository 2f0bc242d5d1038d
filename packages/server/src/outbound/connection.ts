/** A connection to an origin, on which one POST follows another. */
import { ResponseReader, type Response } from './response-reader.ts';
import type { Duplex } from 'node:stream';

/** The response did not arrive in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  constructor() {
    super('no response in time');
  }
}

/** The connection was closed before any byte of a response. `cause`: how, if it was not closed properly. */
export class ClosedUnanswered extends Error {
  override readonly name = 'ClosedUnanswered';
  constructor(options?: ErrorOptions) {
    super('the connection was closed without a response', options);
  }
}

/** A response, and how long the connection may be kept for another request: `undefined` if not at all. */
export type Reply = { readonly response: Response; readonly keepMs: number | undefined };

/** How long we keep one if the server does not say: less than most proxies and balancers keep idle ones. */
const defaultKeepMs = 55_000;
/** The longest that one is used: after that, the name is resolved again, which may have moved. */
const maxAgeMs = 120_000;
/** How much earlier we close it than the server, which may do so while a request is on its way. */
const marginMs = 1_000;

type Exchange = {
  readonly reader: ResponseReader;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (reason: unknown) => void;
  readonly deadline: NodeJS.Timeout;
};

/** A connection whose handshake is done. `onClose` is called once. */
export class Connection {
  readonly origin: string;
  readonly #socket: Duplex;
  readonly #openedMs = performance.now();
  #requests = 0;
  #exchange: Exchange | undefined;

  constructor(origin: string, socket: Duplex, onClose: (connection: Connection) => void) {
    this.origin = origin;
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('error', (cause: Error) => this.#break(cause));
    socket.on('end', () => this.#break(undefined));
    socket.on('close', () => {
      this.#break(undefined);
      onClose(this);
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Sends a request. Rejects with DeadlineExceeded, BadResponse, ClosedUnanswered or the connection's fault. */
  post(request: Buffer, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => this.#expire(), timeoutMs);
      this.#requests += 1;
      this.#exchange = { reader: new ResponseReader(), resolve, reject, deadline };
      // After a stall of our own event loop, nobody would await the response to what is sent here.
      if (timeoutMs > 0) this.#socket.write(request);
    });
  }

  /** Closes it. A request under way is rejected with the reason. */
  close(reason: Error): void {
    this.#fail(reason);
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    const exchange = this.#exchange;
    // Nothing was requested.
    if (exchange === undefined) return void this.#socket.destroy();
    try {
      exchange.reader.push(bytes);
    } catch (error) {
      this.#fail(error);
      this.#socket.destroy();
      return;
    }
    if (exchange.reader.isEnded) this.#succeed(exchange);
  }

  /** A body that breaks off does not change the status. */
  #break(cause: Error | undefined): void {
    const exchange = this.#exchange;
    if (exchange?.reader.response !== undefined) this.#succeed(exchange);
    else if (exchange?.reader.hasBegun === false) this.#fail(new ClosedUnanswered({ cause }));
    else this.#fail(cause ?? new Error('the connection was closed in the middle of a response'));
    this.#socket.destroy();
  }

  /** Nor does a body that does not end in time. */
  #expire(): void {
    const exchange = this.#exchange;
    if (exchange?.reader.response === undefined) this.#fail(new DeadlineExceeded());
    else this.#succeed(exchange);
    hangUp(() => this.#socket.destroy());
  }

  #succeed({ reader, resolve, deadline }: Exchange): void {
    const { response } = reader;
    if (response === undefined) return;
    // Balancers end an idle connection with this response, which may cross the next request.
    if (response.status === 408 && this.#requests > 1 && !reader.isReusable) {
      this.#fail(new ClosedUnanswered());
      this.#socket.destroy();
      return;
    }
    clearTimeout(deadline);
    this.#exchange = undefined;
    const keepMs = this.#keepMs(reader, response);
    if (keepMs === undefined) this.#socket.destroy();
    resolve({ response, keepMs });
  }

  /** A server that fails may be one that the name no longer resolves to, so its connection is not kept. */
  #keepMs(reader: ResponseReader, { status }: Response): number | undefined {
    const isKept = reader.isReusable && reader.isEnded && this.isOpen && status >= 200 && status < 300;
    const keepMs = Math.min(keepMsOf(reader.keepAliveSec), this.#openedMs + maxAgeMs - performance.now());
    return isKept && keepMs > 0 ? keepMs : undefined;
  }

  #fail(reason: unknown): void {
    if (this.#exchange === undefined) return;
    clearTimeout(this.#exchange.deadline);
    this.#exchange.reject(reason);
    this.#exchange = undefined;
  }
}

const keepMsOf = (keepAliveSec: number | undefined): number => {
  if (keepAliveSec === undefined) return defaultKeepMs;
  const keptMs = keepAliveSec * 1_000;
  return Math.max(keptMs - marginMs, keptMs / 2);
};

const perTurn = 2;
const overdue: (() => void)[] = [];

/** Closes what is overdue, a few per tick of the event loop: hundreds of deadlines at once would block the loop. */
export const hangUp = (close: () => void): void => {
  if (overdue.push(close) === 1) setImmediate(hangUpSome);
};

const hangUpSome = (): void => {
  for (const close of overdue.splice(0, perTurn)) close();
  if (overdue.length > 0) setImmediate(hangUpSome);
};
