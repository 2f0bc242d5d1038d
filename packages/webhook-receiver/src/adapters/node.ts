/** The receiver as a listener for Node's own HTTP, HTTPS or HTTP/2 server. */
import type { Receiver } from '../receive.ts';
import { nodeHandler, type NodeRequest, type NodeResponse } from './node-body.ts';

/**
 * `createServer(nodeListener(receiver))`, or in Next's pages/api `export default nodeListener(receiver)`. It returns a
 * promise that never rejects; its type is `unknown` because linters accept no promise where `createServer` takes a
 * listener.
 */
export const nodeListener: (receiver: Receiver) => (request: NodeRequest, response: NodeResponse) => unknown = (
  receiver,
) =>
  nodeHandler(
    receiver,
    'call it before anything reads the request, such as express.json(); in Next, api: { bodyParser: false }',
    'in Fastify, use fastifyPlugin; in NestJS, expressHandler',
  );
