/**
 * The receiver as an Express handler, also for NestJS. Mount it before body parsers: after `express.json()` the signed
 * bytes are gone, and the request fails with an explanation. `express.raw()`, `express.text()` and a platform's
 * `rawBody` are fine.
 */
import type { IncomingWebhook, Receiver } from '../receive.ts';
import { adaptPair } from './adapt.ts';
import { answerNode, type NodeRequest, type NodeResponse, readOrKept } from './node-body.ts';

/** The part of Express's `Request` that is used, and `rawBody`, which NestJS and some platforms set. */
export type ExpressRequest = NodeRequest & { body?: unknown; rawBody?: unknown };

const read = (request: ExpressRequest): IncomingWebhook => ({
  method: request.method,
  headers: request.headers,
  read: (maxBytes) => readOrKept(request, () => request.rawBody ?? request.body, maxBytes),
  advice:
    'in Express, put this route above app.use(express.json()); in NestJS, call NestFactory.create(module, { rawBody: true })',
});

/** `app.post('/hooks', expressHandler(receiver))` */
export const expressHandler: (
  receiver: Receiver,
) => (request: ExpressRequest, response: NodeResponse) => Promise<void> = adaptPair(read, answerNode);
