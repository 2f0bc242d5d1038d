/** Where work is traced, when it is: the shape that `tracing.ts` fills. Everywhere it is optional, and costs nothing when absent. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Attributes are of few values, as labels of metrics are: no URL, no address, no name. */
export type Tracer = {
  /** Runs what answers a request inside its span, which ends with the answer. */
  readonly request: (req: IncomingMessage, res: ServerResponse, route: string, answer: () => void) => void;
  /** Runs work inside a span of its own. */
  readonly span: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Sends what was not sent yet. */
  readonly stop: () => Promise<void>;
};
