/**
 * Tracing, when it is enabled: the interface that `tracing.ts` implements. It is optional everywhere, and free when
 * absent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Attributes have few values, like labels of metrics: no URL, no address, no name. */
export type Tracer = {
  /** Runs a request's handler inside its span, which ends with the response. */
  readonly request: (req: IncomingMessage, res: ServerResponse, route: string, answer: () => void) => void;
  /** Runs work inside a span. */
  readonly span: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Sends what has not been sent yet. */
  readonly stop: () => Promise<void>;
};
