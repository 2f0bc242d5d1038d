/** The receiver as a Hono handler. */
import type { Receiver } from '../receiver.ts';
import { fetchHandler } from './fetch.ts';

/** `app.post('/hooks', honoHandler(receiver))` */
export const honoHandler = (receiver: Receiver) => {
  const handle = fetchHandler(receiver);
  return (context: { req: { raw: Request } }): Promise<Response> => handle(context.req.raw);
};
