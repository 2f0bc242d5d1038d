/** The one shape of every adapter: it reads a request, the receiver receives it, and its answer is written. */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';

/** Makes an adapter of `read`, which takes a request apart, and `answer`, which writes what became of it. */
export const adapt =
  <Request extends unknown[], Result>(
    read: (...request: Request) => IncomingWebhook,
    answer: (answer: Answer, ...request: Request) => Result,
  ) =>
  (receiver: Receiver) =>
  async (...request: Request): Promise<Result> =>
    answer(await receiver.receive(read(...request)), ...request);
