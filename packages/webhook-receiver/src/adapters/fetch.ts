/**
 * The receiver as a function from `Request` to `Response`, for Next.js, Bun, Deno, Workers and the edge. SvelteKit and
 * React Router pass an event: give it the event's `request`.
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

/** Converts an `Answer` to a `Response`. */
export const toResponse = ({ body, ...init }: Answer): Response => new Response(body, init);

/** `export const POST = fetchHandler(receiver)`. The README has the line for each framework. */
export const fetchHandler: (receiver: Receiver) => (request: Request) => Promise<Response> = adapt(read, toResponse);
