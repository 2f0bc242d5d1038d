/**
 * The receiver as a function from `Request` to `Response`: Next.js, Bun, Deno, Workers, the edge; and, for
 * SvelteKit and React Router, the `request` of the event that they pass.
 */
import type { Answer, IncomingWebhook, Receiver } from '../receive.ts';
import { isTaken, readStream } from '../read-stream.ts';
import { adapt } from './adapt.ts';

const read = (request: Request): IncomingWebhook => ({
  method: request.method,
  headers: request.headers,
  read: async (maxBytes) => (isTaken(request) ? undefined : readStream(request.body, maxBytes)),
  advice: 'pass the Request unread, or a clone() made before it was read',
});

/** An `Answer` as a `Response`. */
export const toResponse = ({ body, ...init }: Answer): Response => new Response(body, init);

/** `export const POST = fetchHandler(receiver)`. The README has the line for each framework. */
export const fetchHandler: (receiver: Receiver) => (request: Request) => Promise<Response> = adapt(read, toResponse);
