/** The shape that all adapters share: read a request, pass it to the receiver, write the response. */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';

/** Makes an adapter from `read`, which takes a request apart, and `answer`, which writes the response. */
export const adapt =
  <Request extends unknown[], Result>(
    read: (...request: Request) => IncomingWebhook,
    answer: (answer: Answer, ...request: Request) => Result,
  ) =>
  (receiver: Receiver) =>
  async (...request: Request): Promise<Result> =>
    answer(await receiver.receive(read(...request)), ...request);
