/** The receiver as Koa middleware. It reads the body itself, or uses the `rawBody` that a body parser kept. */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';
import { adapt } from './adapt.ts';
import { nodeRequest, type NodeRequest, readOrKept } from './node-body.ts';

/** The part of Koa's context that is used. */
export interface KoaContext {
  req: NodeRequest;
  request: { rawBody?: unknown };
  status: number;
  body: unknown;
  set(headers: Record<string, string>): unknown;
}

const read = (given: unknown): IncomingWebhook => {
  const context = Object(given) as KoaContext;
  const request = nodeRequest(context.req);
  if (!request) return { headers: {}, advice: "pass Koa's context" };
  return {
    method: request.method,
    headers: request.headers,
    read: (maxBytes) => readOrKept(request, () => context.request.rawBody, maxBytes),
    advice: 'in Koa, put this middleware before the body parser, or use one that keeps rawBody',
  };
};

const answer = ({ status, headers, body }: Answer, context: KoaContext): void => {
  // A value that is no context has no response to write to.
  if (!nodeRequest((Object(context) as KoaContext).req)) return;
  context.status = status;
  context.set(headers);
  context.body = body;
};

/** `router.all('/hooks', koaHandler(receiver))` */
export const koaHandler: (receiver: Receiver) => (context: KoaContext) => Promise<void> = adapt(read, answer);
