/**
 * The shapes that adapters share: read a request, pass it to the receiver, write the response. The functions that they
 * make declare their parameters, because a framework may count them: `Deno.serve` passes no request to a function
 * without parameters.
 */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';

/** Makes an adapter for a framework that passes one value: `read` takes it apart, `answer` makes the result. */
export const adapt =
  <Request, Result>(
    read: (request: Request) => IncomingWebhook,
    answer: (answer: Answer, request: Request) => Result,
  ) =>
  (receiver: Receiver) =>
  async (request: Request): Promise<Result> =>
    answer(await receiver.receive(read(request)), request);

/** Makes an adapter for a framework that passes a request and a response, which `answer` writes to. */
export const adaptPair =
  <Request, Response, Result>(
    read: (request: Request) => IncomingWebhook,
    answer: (answer: Answer, response: Response) => Result,
  ) =>
  (receiver: Receiver) =>
  async (request: Request, response: Response): Promise<Result> =>
    answer(await receiver.receive(read(request)), response);
