/** The receiver as Koa middleware. It reads the body itself, or uses the `rawBody` that a body parser kept. */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';
import { adapt } from './adapt.ts';
import { type NodeRequest, readOrKept } from './node-body.ts';

/** The part of Koa's context that is used. */
export interface KoaContext {
  req: NodeRequest;
  request: { rawBody?: unknown };
  status: number;
  body: unknown;
  set(headers: Record<string, string>): unknown;
}

const read = ({ req, request }: KoaContext): IncomingWebhook => ({
  method: req.method,
  headers: req.headers,
  read: (maxBytes) => readOrKept(req, () => request.rawBody, maxBytes),
  advice: 'in Koa, put this middleware before the body parser, or use one that keeps rawBody',
});

const answer = ({ status, headers, body }: Answer, context: KoaContext): void => {
  context.status = status;
  context.set(headers);
  context.body = body;
};

/** `router.post('/hooks', koaHandler(receiver))` */
export const koaHandler: (receiver: Receiver) => (context: KoaContext) => Promise<void> = adapt(read, answer);
