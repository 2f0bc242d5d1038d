/**
 * The least that delivering to a webhook takes: one `undici.request` with the same headers and bytes as a delivery of
 * ours.
 */
import type { LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Agent, request } from 'undici';
import { deliveryHeaders, deliveryUserAgent } from '@bot-directory/contract';
import { addressOf } from './endpoints.ts';

/** The envelope of an event of ours, and the headers that go with it. */
export type Post = { readonly body: string; readonly eventId: string };

/** How long a connection is kept: as undici keeps it, for longer than any pause of a measurement, or not at all. */
export type Keeping = { readonly connectionsFor?: 'long' | 'one post' };

const keepings = {
  long: { keepAliveTimeout: 600_000, keepAliveMaxTimeout: 600_000 },
  'one post': { pipelining: 0 },
};

/** Connections to one origin: as many as the service opens. */
const connections = 64;

const lookup: LookupFunction = (host, options, callback) => {
  const address = addressOf(host);
  if (options.all === true) callback(null, [{ address, family: 4 }]);
  else callback(null, address, 4);
};

/** Posts to a URL and reads the response to its end; optionally as another event. */
export const createPost = (
  ca: string,
  { body, eventId }: Post,
  { connectionsFor }: Keeping = {},
): ((url: string, asEvent?: string) => Promise<void>) => {
  const secureContext = createSecureContext({ ca });
  // Of 1,000 origins none would find its session again: undici keeps 100.
  const connect = { lookup, secureContext, maxCachedSessions: 0 };
  const keeping = connectionsFor === undefined ? {} : keepings[connectionsFor];
  const dispatcher = new Agent({ connections, connect, ...keeping });
  const bytes = Buffer.from(body);
  const headers = {
    'content-type': 'application/json',
    'user-agent': deliveryUserAgent,
    [deliveryHeaders.event]: 'bot.created',
    [deliveryHeaders.delivery]: `dlv_${'0'.repeat(26)}`,
    [deliveryHeaders.id]: eventId,
    [deliveryHeaders.timestamp]: '1700000000',
    [deliveryHeaders.signature]: `v1a,${'A'.repeat(88)}`,
  };
  return async (url, asEvent = eventId) => {
    headers[deliveryHeaders.id] = asEvent;
    const answer = await request(url, { method: 'POST', body: bytes, headers, dispatcher });
    await answer.body.dump();
    if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`);
  };
};
