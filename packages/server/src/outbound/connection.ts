/** A connection to an origin, on which one POST follows another. */
import type { Duplex } from 'node:stream';
import { BadResponse, ResponseReader, type Response } from './response-reader.ts';

/** The response did not arrive in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  constructor() {
    super('no response in time');
  }
}

/**
 * The connection ended before any byte of a response: it was closed, or what came is the rest of the response before.
 * `cause`: how, if it was not closed properly.
 */
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
/** How long the end of a body may come after its head. Another connection costs less than waiting for longer. */
const bodyMs = 250;
/** How much earlier we close it than the server, which may do so while a request is on its way. */
const marginMs = 1_000;

type Exchange = {
  readonly reader: ResponseReader;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (reason: unknown) => void;
  readonly endsAtMs: number;
  deadline: NodeJS.Timeout;
  hasHead: boolean;
};

/** A connection whose handshake is done. `onClose` is called once. */
export class Connection {
  readonly origin: string;
  readonly #socket: Duplex;
  readonly #openedMs = performance.now();
  #requests = 0;
  #isOutOfStep = false;
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

  /**
   * Whether a request met the rest of the exchange before it, or seems to: the server wrote more than its response, or
   * did not read the body.
   */
  get isOutOfStep(): boolean {
    return this.#isOutOfStep;
  }

  /** Sends a request. Rejects with DeadlineExceeded, BadResponse, ClosedUnanswered or the connection's fault. */
  post(request: Buffer, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => this.#expire(), timeoutMs);
      this.#requests += 1;
      const endsAtMs = performance.now() + timeoutMs;
      this.#exchange = { reader: new ResponseReader(), resolve, reject, endsAtMs, deadline, hasHead: false };
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
      this.#isOutOfStep = this.#requests > 1 && error instanceof BadResponse;
      this.#fail(this.#isOutOfStep ? new ClosedUnanswered() : error);
      this.#socket.destroy();
      return;
    }
    if (exchange.reader.isEnded) this.#succeed(exchange);
    else if (exchange.reader.response !== undefined) this.#awaitBody(exchange);
  }

  /** The status is known, so the next event does not wait for a body that does not end. */
  #awaitBody(exchange: Exchange): void {
    if (exchange.hasHead) return;
    exchange.hasHead = true;
    clearTimeout(exchange.deadline);
    const leftMs = Math.min(bodyMs, exchange.endsAtMs - performance.now());
    exchange.deadline = setTimeout(() => this.#expire(), leftMs);
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
    const isDelivered = response.status >= 200 && response.status < 300;
    // As servers refuse a body that they did not read and take for the next request.
    this.#isOutOfStep = this.#requests > 1 && reader.isLast && !isDelivered;
    const keepMs = isDelivered ? this.#keepMs(reader) : undefined;
    if (keepMs === undefined) this.#socket.destroy();
    resolve({ response, keepMs });
  }

  /** A server that fails may be one that the name no longer resolves to, so its connection is not kept. */
  #keepMs(reader: ResponseReader): number | undefined {
    const isKept = reader.isReusable && reader.isEnded && this.isOpen;
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
