/** The receiver as a Hono handler. If middleware has read the body through Hono, Hono returns the same bytes again. */
import type { IncomingWebhook, Receiver } from '../receive.ts';
import { isTaken, readStream } from '../read-stream.ts';
import { adapt } from './adapt.ts';
import { toResponse } from './fetch.ts';

/** The part of Hono's context that is used. */
export interface HonoContext {
  req: { raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
}

const read = ({ req }: HonoContext): IncomingWebhook => ({
  method: req.raw.method,
  headers: req.raw.headers,
  read: (maxBytes) =>
    isTaken(req.raw) ? req.arrayBuffer().catch(() => undefined) : readStream(req.raw.body, maxBytes),
  advice: 'in Hono, read it with c.req.text() or c.req.json(), which keep it, not with c.req.raw',
});

/** `app.post('/hooks', honoHandler(receiver))` */
export const honoHandler: (receiver: Receiver) => (context: HonoContext) => Promise<Response> = adapt(read, toResponse);
