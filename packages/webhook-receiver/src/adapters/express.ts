/**
 * The receiver as an Express handler. Body parsers belong behind it: of a body that `express.json()` has read, only an
 * explanation is left. `express.raw()` and `express.text()` do no harm, nor does a `rawBody` that the platform keeps.
 */
import type { Receiver } from '../receiver.ts';
import { type NodeRequest, type NodeResponse, receiveNode } from './node-body.ts';

/** `app.post('/hooks', expressHandler(receiver))` */
export const expressHandler =
  (receiver: Receiver) =>
  (request: NodeRequest & { body?: unknown; rawBody?: unknown }, response: NodeResponse): Promise<void> =>
    receiveNode(receiver, request, response);
