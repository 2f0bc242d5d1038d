/**
 * What a consumer writes. The suite compiles it against the packed tarball, with the compilers and libraries that it
 * names.
 */
import {
  type Bot,
  type BotCreatedEvent,
  createReceiver,
  type Dedupe,
  type Event,
  ConfigurationError,
  memoryDedupe,
  parse,
  type Receiver,
  remoteKeys,
  verify,
  WebhookError,
} from '@bot-directory/webhook-receiver';
import { expressHandler } from '@bot-directory/webhook-receiver/express';
import { fastifyPlugin } from '@bot-directory/webhook-receiver/fastify';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
import { honoHandler } from '@bot-directory/webhook-receiver/hono';
import { lambdaHandler } from '@bot-directory/webhook-receiver/lambda';
import { nodeListener } from '@bot-directory/webhook-receiver/node';
import { redisDedupe } from '@bot-directory/webhook-receiver/redis';
import { generateKeyPair, sampleEvent, send, signedRequest } from '@bot-directory/webhook-receiver/testing';

const store: Dedupe = redisDedupe({ sendCommand: (args: string[]) => Promise.resolve(args.join()) }, { prefix: 'p:' });
const errors: string[] = [];

export const receiver: Receiver = createReceiver({
  keys: ['whsec_…', remoteKeys('https://directory.example.com', { fetch, timeoutMs: 1_000 })],
  on: {
    ping: () => undefined,
    'bot.created': async ({ data, id, known }, { signal }) => {
      const bot: Bot = data;
      const yes: true = known;
      await Promise.resolve([bot.slug, id, yes, signal.aborted]);
    },
  },
  onUnknown: ({ type, data }) => [type, data],
  dedupe: Math.random() > 2 ? store : memoryDedupe(),
  onError: ({ code, status, message }) => void errors.push(`${code} ${status} ${message}`),
  toleranceSec: undefined,
});

export const POST: (request: Request) => Promise<Response> = fetchHandler(receiver);
export const handlers = [
  expressHandler(receiver),
  nodeListener(receiver),
  honoHandler(receiver),
  fastifyPlugin(receiver, '/hooks'),
  lambdaHandler(receiver),
];

export const slugOf = async (request: Request): Promise<string> => {
  const event: Event = await parse(new Uint8Array(await request.arrayBuffer()), request.headers, { keys: 'whpk_…' });
  if (!event.known) return event.type;
  switch (event.type) {
    case 'ping':
      return event.id;
    case 'bot.created': {
      const created: BotCreatedEvent = event;
      return created.data.slug;
    }
  }
};

/** A handler makes its type known. */
export const endsOnly = createReceiver({
  keys: 'whsec_…',
  on: {
    'bot.removed': ({ data: { slug, reason } }) => [slug, reason ?? 'hidden'],
    'bot.restored': ({ data }) => data.name,
    // @ts-expect-error -- no event type
    'bot.create': () => undefined,
  },
});

export const endOf = async (body: string): Promise<string> => {
  const event: Event<'bot.removed'> = await parse(body, {}, { keys: 'whpk_…', events: ['bot.removed'] });
  if (!event.known) return event.type;
  return event.type === 'ping' ? event.id : (event.data.reason ?? 'hidden');
};

export const refusal = async (
  body: string,
  headers: Record<string, string | string[] | undefined>,
): Promise<string | number> => {
  try {
    return (await verify(body, headers, { keys: ['whsec_…'], now: Date.now })).timestampSec;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    return error instanceof WebhookError ? error.code : 'a bug';
  }
};

export const tried = async (): Promise<number> => {
  const { privateKey: key } = await generateKeyPair();
  const response = await POST(await signedRequest({ event: sampleEvent('bot.created', { slug: 'a' }), key, at: 0 }));
  return response.status + (await send('https://a.example', { key })).status;
};

// @ts-expect-error -- no such event
createReceiver({ keys: 'whsec_…', on: { 'bot.deleted': () => undefined } });
// @ts-expect-error -- bots have no such field
createReceiver({ keys: 'whsec_…', on: { 'bot.created': ({ data }) => data.colour } });
// @ts-expect-error -- no such event to make a sample of
sampleEvent('bot.deleted');
