/**
 * One request and its answer, of which only the status and `Retry-After` are kept, under one deadline over connection,
 * head and body. It takes undici's events as they come: `request` would make a stream of every body only to drop it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** What is kept of an answer. */
export type Answer = { readonly status: number; readonly retryAfter: string | undefined };

/** The answer was not there in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Sends the request. Rejects with DeadlineExceeded, or with the fault of the connection. */
export const exchange = (agent: Dispatcher, request: Dispatcher.DispatchOptions, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    agent.dispatch(request, new Exchange(resolve, reject, timeoutMs));
  });

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: Answer | undefined;
  #late: DeadlineExceeded | undefined;

  constructor(resolve: (answer: Answer) => void, reject: (reason: unknown) => void, timeoutMs: number) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = setTimeout(() => {
      this.#expire();
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection until now.
    if (this.#late !== undefined) controller.abort(this.#late);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#answer = { status, retryAfter: headers['retry-after'] };
  }

  // Without it undici has no body to count the bytes of.
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

  /** A body that breaks off, or is longer than is read of it, changes nothing about its status. */
  #end(error: Error | undefined): void {
    clearTimeout(this.#deadline);
    if (this.#answer === undefined || error instanceof DeadlineExceeded) this.#reject(error);
    else this.#resolve(this.#answer);
  }
}

const hungUpPerTurn = 2;
const overdue: (() => void)[] = [];

/** Hangs up a few in each turn of the event loop: hundreds whose deadline came at once would hold everybody else up. */
const hangUp = (abort: () => void): void => {
  if (overdue.push(abort) === 1) setImmediate(hangUpSome);
};

const hangUpSome = (): void => {
  for (const abort of overdue.splice(0, hungUpPerTurn)) abort();
  if (overdue.length > 0) setImmediate(hangUpSome);
};
