/** Deliveries as the service makes them: headers, envelope and signature. */
import type { EventType } from '../event.ts';
import type { EventMap } from '../types.gen.ts';
import { samples } from './samples.gen.ts';
import { sign } from './sign.ts';

/** An envelope to send, of any type and shape. */
export type Envelope = { id: string; type: string } & Record<string, unknown>;

/** What to sign, and with which key. */
export interface DeliveryOptions {
  /**
   * The envelope.
   * @default a ping
   */
  event?: Envelope | undefined;
  /**
   * The exact body to send.
   * @default the envelope as JSON
   */
  body?: string | Uint8Array | undefined;
  /** `whsk_` or `whsec_`; several to sign with each. */
  key: string | readonly string[];
  /**
   * When it is signed, in milliseconds since 1970.
   * @default now
   */
  at?: number | undefined;
}

/** What is sent. */
export interface SignedDelivery {
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** Makes an event of this type, with a new id. `data` overrides fields of its data. */
export const sampleEvent = <Type extends EventType>(
  type: Type,
  data: Partial<EventMap[Type]['data']> = {},
): EventMap[Type] & Envelope => {
  const all = { ...samples[type], ...data };
  return { id: newId('evt'), type, created_at: new Date().toISOString(), data: all } as unknown as EventMap[Type] &
    Envelope;
};

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Makes an id in the service's format. */
const newId = (prefix: string): string =>
  `${prefix}_0${Array.from(crypto.getRandomValues(new Uint8Array(25)), (byte) => alphabet.charAt(byte % 32)).join('')}`;

/** Makes the headers and body of one delivery. */
export const signedDelivery = async ({
  event = sampleEvent('ping'),
  body = JSON.stringify(event),
  key,
  at = Date.now(),
}: DeliveryOptions): Promise<SignedDelivery> => {
  const timestampSec = Math.floor(at / 1_000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'x-service-event': event.type,
    'x-service-delivery': newId('dlv'),
    'webhook-id': event.id,
    'webhook-timestamp': String(timestampSec),
    'webhook-signature': await sign({ id: event.id, timestampSec, body }, key),
  };
  return { headers, body };
};

/** Makes a delivery as a `Request`, for receivers that take one. */
export const signedRequest = async ({
  url = 'https://receiver.test/',
  ...options
}: DeliveryOptions & { url?: string }): Promise<Request> =>
  new Request(url, { method: 'POST', ...(await signedDelivery(options)) });

/** The receiver's response. */
export interface Answered {
  status: number;
  /** The `code` in the body, if there is one. */
  code: string | undefined;
  retryAfter: string | undefined;
}

/** Finds the `code` in the body of a response. */
export const codeIn = (body: string): string | undefined => /"code":"(\w+)"/.exec(body)?.[1];

/** Posts a delivery like the service: within ten seconds, without following redirects. */
export const deliver = async (url: string, { headers, body }: SignedDelivery): Promise<Answered> => {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  });
  const code = codeIn(await response.text());
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') ?? undefined };
};

/** Signs and posts a delivery; a ping by default. */
export const send = async (url: string, options: DeliveryOptions): Promise<Answered> =>
  deliver(url, await signedDelivery(options));
