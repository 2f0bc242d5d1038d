/** The receiver as a listener for Node's own HTTP, HTTPS or HTTP/2 server. */
import type { IncomingWebhook, Receiver } from '../receive.ts';
import { adaptPair } from './adapt.ts';
import { answerNode, type NodeRequest, type NodeResponse, readOrKept } from './node-body.ts';

const read = (request: NodeRequest): IncomingWebhook => ({
  headers: request.headers,
  read: (maxBytes) => readOrKept(request, () => undefined, maxBytes),
  advice: 'call the listener before anything reads the request',
});

/** `createServer(nodeListener(receiver))` */
export const nodeListener = (receiver: Receiver): ((request: NodeRequest, response: NodeResponse) => void) => {
  const handle = adaptPair(read, answerNode)(receiver);
  return (request, response) => void handle(request, response);
};
