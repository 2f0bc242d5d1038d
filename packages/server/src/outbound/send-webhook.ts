/**
 * One POST to a webhook: delivery → outcome. It never throws, never follows a redirect, discards the response's body
 * after at most 16 KB, and ends within one total deadline. A POST that meets the closing of a kept connection is sent
 * once more. Each new connection checks its address.
 */
import type { KeyObject } from 'node:crypto';
import { totalmem } from 'node:os';
import {
  deliveryHeaders,
  deliveryUserAgent,
  type DeliveryFailure,
  type EventType,
  type WebhookFormat,
} from '@bot-directory/contract';
import type { Clock } from '../base/time.ts';
import { codeOf, StoreUnreachable } from '../base/failure.ts';
import { readUrl } from '../base/parsed.ts';
import type { DeliveryId, EventId } from '../base/ids.ts';
import { isRedirect } from '../domain/attempt-words.ts';
import { parseRetryAfter } from '../domain/delivery.ts';
import { contentTypeOf, expectedFormat } from '../domain/format.ts';
import type { Network } from '../domain/ip-address.ts';
import type { NoticeEnvelope } from '../domain/notice.ts';
import { secretSignature, signatureHeader, type SigningKey } from '../domain/signature.ts';
import type { SentHeader, WebhookHeaders } from '../domain/webhook-headers.ts';
import { isPublicName, originOf, type WebhookUrl } from '../domain/webhook-url.ts';
import { ClosedUnanswered, DeadlineExceeded } from './connection.ts';
import { ConnectionPool, ConnectionsClosed, type OnConnect } from './connection-pool.ts';
import { idleLimit } from './idle-connections.ts';
import { createOpenConnection } from './open-connection.ts';
import {
  createGuardedLookup,
  createIsOnline,
  ForbiddenAddress,
  NameUnresolved,
  type IsOnline,
  type Resolve,
} from './resolve.ts';
import { BadResponse, type Response } from './response-reader.ts';

/** One event for one webhook, as it goes out. */
export type Delivery = {
  readonly url: WebhookUrl;
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly type: EventType | NoticeEnvelope['type'];
  /** The format of the body; an envelope if there is none. */
  readonly format?: WebhookFormat | undefined;
  readonly body: Buffer;
  /** Whether the last attempt for this webhook failed. Its name may have moved, so it is resolved again. */
  readonly isRetry?: boolean;
  /** The secret of the webhook's owner, which signs in addition to our key. */
  readonly secret?: KeyObject | undefined;
  /** Its owner's headers. Redirects are not followed, so only the URL's own host gets them. */
  readonly headers?: WebhookHeaders | undefined;
};

/**
 * The outcome of an attempt. `isOurs`: there is evidence of a fault on this side, so it does not count against the
 * webhook.
 */
export type Outcome =
  | {
      readonly kind: 'delivered';
      readonly status: number;
      /** How long the endpoint wants no other request. */
      readonly pauseMs?: number;
    }
  | {
      readonly kind: 'failed';
      readonly failure: DeliveryFailure;
      readonly isOurs: boolean;
      readonly status?: number;
      readonly retryAfter?: string;
      /** The public host name that a redirect points to. */
      readonly redirectHost?: string;
      /** How long the service that is known at this host wants no request for any of its webhooks. */
      readonly servicePauseMs?: number;
    };

export type SendWebhook = (delivery: Delivery) => Promise<Outcome>;

/** Settings of the sender. `ca`: the trusted authorities, if not the system's. */
export type SenderOptions = {
  readonly timeoutMs: number;
  readonly allowedNetworks: readonly Network[];
  readonly resolve: Resolve;
  readonly ca?: string;
  /** Most pings at once to one origin. */
  readonly pingsPerOrigin: number;
  /** Called for every connection made for a delivery, with its address. */
  readonly onConnect: OnConnect;
};

type Deps = { readonly clock: Clock; readonly signingKeys: () => Promise<readonly SigningKey[]> };

export const createSender = (deps: Deps, options: SenderOptions): { send: SendWebhook; close: () => Promise<void> } => {
  const isOnline = createIsOnline(options.resolve);
  const { resolve, allowedNetworks, timeoutMs, pingsPerOrigin: perOrigin, onConnect } = options;
  const open = createOpenConnection({ ...options, lookup: createGuardedLookup(resolve, allowedNetworks, isOnline) });
  const kept = new ConnectionPool({ open, onConnect, idle: idleLimit(memoryBytes()) });
  // Anyone can make us ping any path. Pings that hang must not use up the connections for deliveries to the same
  // origin.
  const pings = new ConnectionPool({ open, onConnect: () => undefined, perOrigin, idle: 0 });
  const sign = onePerSecond(deps);
  const send: SendWebhook = async (delivery) => {
    try {
      const { url, type, isRetry } = delivery;
      const pool = type === 'ping' ? pings : kept;
      const bytes = requestOf(delivery, await sign(delivery));
      return judge(url, await pool.send({ origin: originOf(url), bytes, timeoutMs, isRetry }), deps.clock());
    } catch (error) {
      return failureOf(error, isOnline);
    }
  };
  return {
    send,
    close: () => {
      kept.close();
      pings.close();
      return Promise.resolve();
    },
  };
};

type Signed = { readonly timestamp: string; readonly signature: string };

/** The bytes of the POST. The URL is canonical, so it has no character that ends a line. */
const requestOf = (
  { url, id, eventId, type, format, body, secret, headers }: Delivery,
  { timestamp, signature }: Signed,
): Buffer => {
  const origin = originOf(url);
  const signable = { id: eventId, timestampSec: Number(timestamp), body };
  const own: Readonly<Record<SentHeader, string | number>> = {
    host: origin.slice('https://'.length),
    connection: type === 'ping' ? 'close' : 'keep-alive',
    // Firewalls refuse requests without it (OWASP's core rules, 920300).
    accept: '*/*',
    'user-agent': deliveryUserAgent,
    'content-type': contentTypeOf(format),
    'content-length': body.length,
    [deliveryHeaders.event]: type,
    [deliveryHeaders.delivery]: id,
    [deliveryHeaders.id]: eventId,
    [deliveryHeaders.timestamp]: timestamp,
    [deliveryHeaders.signature]: secret === undefined ? signature : `${signature} ${secretSignature(secret, signable)}`,
  };
  let head = `POST ${url.slice(origin.length)} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(own)) head += `${name}: ${value}\r\n`;
  return Buffer.concat([Buffer.from(`${head}${headers?.lines ?? ''}\r\n`, 'latin1'), body]);
};

/** The memory that this process may use. */
const memoryBytes = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem());

type Signable = Pick<Delivery, 'eventId' | 'format' | 'body'>;

/** Signs each event once a second in each format instead of once per webhook: the key is the service's. */
const onePerSecond = ({ clock, signingKeys }: Deps) => {
  let current = { second: 0, signed: new Map<string, Promise<Signed>>() };
  const sign = async (eventId: EventId, body: Buffer, timestampSec: number): Promise<Signed> => ({
    timestamp: String(timestampSec),
    signature: signatureHeader(await signingKeys(), { id: eventId, timestampSec, body }),
  });
  return ({ eventId, format, body }: Signable): Promise<Signed> => {
    const second = Math.floor(clock() / 1_000);
    if (current.second !== second) current = { second, signed: new Map() };
    const key = format === undefined ? eventId : `${eventId} ${format}`;
    let signed = current.signed.get(key);
    if (signed === undefined) current.signed.set(key, (signed = sign(eventId, body, second)));
    return signed;
  };
};

/** An endpoint that wants no requests for longer is asked again. */
const longestPauseMs = 60_000;

const judge = (url: WebhookUrl, response: Response, nowMs: number): Outcome => {
  const { status, retryAfter, location, pauseSec } = response;
  if (status >= 200 && status < 300) {
    const pauseMs = Math.min(parseRetryAfter(pauseSec, 0) ?? 0, longestPauseMs);
    return { kind: 'delivered', status, ...(pauseMs > 0 ? { pauseMs } : {}) };
  }
  if (status === 429 && response.isGlobalLimit && expectedFormat(url) !== undefined) {
    // What this process sent to others was too much, not what this webhook gets.
    const servicePauseMs = Math.min(parseRetryAfter(retryAfter, nowMs) ?? 0, longestPauseMs);
    return { ...failed('status', true), status, servicePauseMs };
  }
  const redirectHost = isRedirect(status) ? publicHostOf(location, url) : undefined;
  return {
    ...failed('status'),
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(redirectHost === undefined ? {} : { redirectHost }),
  };
};

/** The public host name that a reference in a response points to. Addresses and private names are not repeated. */
const publicHostOf = (reference: string | undefined, base: WebhookUrl): string | undefined => {
  const to = reference === undefined ? undefined : readUrl(reference, new URL(base));
  return to !== undefined && /^https?:$/.test(to.protocol) && isPublicName(to.hostname) ? to.hostname : undefined;
};

const failed = (failure: DeliveryFailure, isOurs = false): Outcome & { kind: 'failed' } => ({
  kind: 'failed',
  failure,
  isOurs,
});

const tlsFault = /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/;
const ownFault = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM)$/;
/** Our fault if nothing else can be reached either. An IPv6-only name on a host without IPv6 is not. */
const unreachable = /^(ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/;

const failureOf = async (error: unknown, isOnline: IsOnline): Promise<Outcome> => {
  // The signing key could not be read, or the process stops.
  if (error instanceof StoreUnreachable || error instanceof ConnectionsClosed) return failed('connect', true);
  if (error instanceof DeadlineExceeded) return failed('timeout');
  if (error instanceof ForbiddenAddress) return failed('forbidden_address');
  if (error instanceof NameUnresolved) return failed('dns', error.isOurs);
  if (error instanceof BadResponse) return failed('response');
  // The connection's fault: its own, or what closed it before a response.
  const code = codeOf(error instanceof ClosedUnanswered ? error.cause : error);
  if (tlsFault.test(code)) return failed('tls');
  return failed('connect', ownFault.test(code) || (unreachable.test(code) && !(await isOnline())));
};
