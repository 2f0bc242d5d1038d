/**
 * The shape that adapters share: find the request in what a framework passes, give it to the receiver, write the
 * response. Frameworks pass wrappers, and callers pass anything: `read` and `answer` look before they use it, so that
 * no adapter rejects. The functions that they make declare their parameters, because a framework may count them:
 * `Deno.serve` passes no request to a function without parameters.
 */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';

/** Makes an adapter for a framework that passes one value: `read` takes it apart, `answer` makes the result. */
export const adapt =
  <Given, Result>(read: (given: Given) => IncomingWebhook, answer: (answer: Answer, given: Given) => Result) =>
  (receiver: Receiver) =>
  async (given: Given): Promise<Result> =>
    answer(await receiver.receive(read(given)), given);
