/** The receiver as a Hono handler. If middleware has read the body through Hono, Hono returns the same bytes again. */
import type { Receiver } from '../receive.ts';
import { adapt } from './adapt.ts';
import { read, toResponse } from './fetch.ts';

/** The part of Hono's context that is used. */
export interface HonoContext {
  req: { raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
}

/** `app.all('/hooks', honoHandler(receiver))` */
export const honoHandler: (receiver: Receiver) => (context: HonoContext) => Promise<Response> = adapt(read, toResponse);
