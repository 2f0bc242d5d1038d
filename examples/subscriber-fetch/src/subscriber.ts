/**
 * A subscriber as a fetch handler: Workers, `Deno.serve`, `Bun.serve` and Hono use it as it is, and Node through
 * main.ts. It remembers handled events in memory, which suits one process; subscriber-express shares them among
 * several.
 */
import { createReceiver } from '@bot-directory/webhook-receiver';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';

/** Where deliveries are posted. */
export const path = '/webhooks/bots';

/** Reports each new bot once. Deliveries are verified with the directory's own keys. */
export const createSubscriber = (directoryUrl: string, print: (line: string) => void) => {
  const receive = fetchHandler(
    createReceiver({
      baseUrl: directoryUrl,
      on: {
        ping: () => print('pinged'),
        'bot.created': ({ data: bot }) => print(`new bot: ${bot.name}, ${bot.url}`),
      },
      onUnknown: ({ type }) => print(`an event of a newer directory: ${type}`),
    }),
  );
  return async (request: Request): Promise<Response> =>
    new URL(request.url).pathname === path ? receive(request) : new Response(null, { status: 404 });
};
