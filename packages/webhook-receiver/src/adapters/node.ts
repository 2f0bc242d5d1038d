/** The receiver as a listener of Node's own HTTP server, or of HTTPS or HTTP/2. */
import type { Receiver } from '../receiver.ts';
import { type NodeRequest, type NodeResponse, receiveNode } from './node-body.ts';

/** `createServer(nodeListener(receiver))` */
export const nodeListener =
  (receiver: Receiver) =>
  (request: NodeRequest, response: NodeResponse): void =>
    void receiveNode(receiver, request, response);
