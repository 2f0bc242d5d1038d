/** The receiver as a function from `Request` to `Response`: Next.js, Remix, SvelteKit, Bun, Deno, Workers, the edge. */
import { readStream } from '../read-stream.ts';
import type { Receiver } from '../receiver.ts';

/** `export const POST = fetchHandler(receiver)` */
export const fetchHandler =
  (receiver: Receiver) =>
  async (request: Request): Promise<Response> => {
    // Undefined stands for a body that somebody has read already.
    const read = async (maxBytes: number) => (request.bodyUsed ? undefined : readStream(request.body, maxBytes));
    const { body, ...init } = await receiver.receive({ headers: request.headers, read });
    return new Response(body, init);
  };
