/**
 * The receiver as a function from `Request` to `Response`, for Next.js, Bun, Deno, Workers and the edge. The event that
 * SvelteKit and React Router pass is taken apart, and so is Hono's context.
 */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';
import { readStream } from '../read-stream.ts';
import { adapt } from './adapt.ts';

/** Where frameworks keep the request in what they pass. The wrapper itself may look like one: it may have headers. */
interface Wrapper {
  request?: unknown;
  req?: { raw?: unknown; arrayBuffer(): Promise<ArrayBuffer> };
}

const isRequest = (value: unknown): value is Request =>
  typeof (Object(value) as { headers?: Partial<Headers> }).headers?.get === 'function';

/** Finds the request in what a framework passed. */
export const read = (given: unknown): IncomingWebhook => {
  const { request, req } = Object(given) as Wrapper;
  const found = [request, req?.raw, req, given].find(isRequest);
  // Without a body there is nothing to verify: a Request has one, or null.
  if (found?.body === undefined) return { headers: {}, advice: "pass a Request, such as that of h3's toWebRequest" };
  const { method, headers, body, bodyUsed } = found;
  return {
    method,
    headers,
    // Hono returns again what middleware has read through it.
    read: async (maxBytes) =>
      bodyUsed || body?.locked ? req?.arrayBuffer().catch(() => undefined) : readStream(body, maxBytes),
    advice: req
      ? 'in Hono, read it with c.req.text() or c.req.json(), not c.req.raw'
      : 'pass a Request unread, or a clone() made before',
  };
};

/** Converts an `Answer` to a `Response`. */
export const toResponse = ({ body, ...init }: Answer): Response => new Response(body, init);

/** `export const POST = fetchHandler(receiver)`. The README has the line for each framework. */
export const fetchHandler: (receiver: Receiver) => (request: Request) => Promise<Response> = adapt(read, toResponse);
