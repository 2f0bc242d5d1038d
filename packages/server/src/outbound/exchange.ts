/**
 * Sends one request and returns the status and `Retry-After` of its response, under one deadline for connection, head
 * and body. It uses undici's low-level events: `request` would make a stream of every body, only for it to be
 * discarded.
 */
import type { Dispatcher } from 'undici';

/** What is kept of a response. */
export type Answer = { readonly status: number; readonly retryAfter: string | undefined };

/** As undici gives them: of a repeated one, all values. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The response did not arrive in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Sends the request. Rejects with DeadlineExceeded, or with the fault of the connection. */
export const exchange = (agent: Dispatcher, request: Dispatcher.DispatchOptions, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    agent.dispatch(request, new Exchange(resolve, reject, timeoutMs));
  });

/** The most responses of status 1xx that are read before the one that counts. */
const maxInformational = 16;

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: Answer | undefined;
  #late: DeadlineExceeded | undefined;
  #informational = 0;

  constructor(resolve: (answer: Answer) => void, reject: (reason: unknown) => void, timeoutMs: number) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = setTimeout(() => {
      this.#expire();
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It has waited for a connection until now.
    if (this.#late !== undefined) controller.abort(this.#late);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) {
      // Reading them for ever would take a whole processor.
      if ((this.#informational += 1) > maxInformational)
        controller.abort(new Error('too many informational responses'));
      return;
    }
    const retryAfter = headers['retry-after'];
    this.#answer = { status, retryAfter: typeof retryAfter === 'object' ? retryAfter[0] : retryAfter };
  }

  // Without this handler undici would not count the body's bytes.
  onResponseData(): void {}

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  #expire(): void {
    const late = (this.#late = new DeadlineExceeded());
    hangUp(() => this.#controller?.abort(late));
    this.#end(late);
  }

  /** A body that breaks off, or exceeds what is read of it, does not change the status. */
  #end(error: Error | undefined): void {
    clearTimeout(this.#deadline);
    if (this.#answer === undefined || error instanceof DeadlineExceeded) this.#reject(error);
    else this.#resolve(this.#answer);
  }
}

const hungUpPerTurn = 2;
const overdue: (() => void)[] = [];

/** Aborts a few per turn of the event loop: hundreds of deadlines at once would otherwise block everything else. */
const hangUp = (abort: () => void): void => {
  if (overdue.push(abort) === 1) setImmediate(hangUpSome);
};

const hangUpSome = (): void => {
  for (const abort of overdue.splice(0, hungUpPerTurn)) abort();
  if (overdue.length > 0) setImmediate(hangUpSome);
};
