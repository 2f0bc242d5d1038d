/** The receiver as a listener for Node's own HTTP, HTTPS or HTTP/2 server. */
import type { IncomingWebhook, Receiver } from '../receive.ts';
import { adaptPair } from './adapt.ts';
import { answerNode, type NodeRequest, type NodeResponse, readOrKept } from './node-body.ts';

const read = (request: NodeRequest): IncomingWebhook => ({
  method: request.method,
  headers: request.headers,
  read: (maxBytes) => readOrKept(request, () => undefined, maxBytes),
  advice: `call the listener before anything reads the request; in Next's pages/api, export const config = { api: { bodyParser: false } }`,
});

/**
 * `createServer(nodeListener(receiver))`, or in Next's pages/api `export default nodeListener(receiver)`. It returns a
 * promise that never rejects; its type is `unknown` because linters accept no promise where `createServer` takes a
 * listener.
 */
export const nodeListener: (receiver: Receiver) => (request: NodeRequest, response: NodeResponse) => unknown =
  adaptPair(read, answerNode);
