/**
 * One POST to a webhook: delivery → outcome. It never throws, never follows a redirect, discards the response's body
 * after at most 16 KB, and ends within one total deadline. Each connect checks where it may lead.
 */
import type { KeyObject } from 'node:crypto';
import {
  deliveryHeaders,
  deliveryUserAgent,
  type DeliveredEventType,
  type DeliveryFailure,
} from '@bot-directory/contract';
import type { Clock } from '../base/clock.ts';
import { StoreUnreachable } from '../base/failure.ts';
import type { DeliveryId, EventId } from '../base/ids.ts';
import type { Network } from '../domain/ip-address.ts';
import { secretSignature, signatureHeader, type SigningKey } from '../domain/signature.ts';
import type { WebhookUrl } from '../domain/webhook-url.ts';
import { DeadlineExceeded, exchange, type Answer } from './exchange.ts';
import { createGuardedAgents, type OnConnect } from './guarded-agent.ts';
import { createGuardedLookup, ForbiddenAddress, NameUnresolved, type Resolve } from './guarded-lookup.ts';
import { createIsOnline, type IsOnline } from './online.ts';

/** One envelope for one webhook, as it goes out. */
export type Delivery = {
  readonly url: WebhookUrl;
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly type: DeliveredEventType;
  readonly body: Buffer;
  /** The secret of the webhook's owner; it signs as well. */
  readonly secret?: KeyObject | undefined;
};

/**
 * The outcome of an attempt. `isOurs`: there is evidence of a fault on this side, so it does not count against the
 * webhook.
 */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly failure: DeliveryFailure;
      readonly isOurs: boolean;
      readonly status?: number;
      readonly retryAfter?: string;
    };

export type SendWebhook = (delivery: Delivery) => Promise<Outcome>;

/** Settings of the sender. `ca` and `resolve` are for tests; by default the system's are used. */
export type SenderOptions = {
  readonly timeoutMs: number;
  readonly allowedNetworks: readonly Network[];
  readonly resolve: Resolve;
  readonly ca?: string;
  /** Most connections to one origin. */
  readonly connectionsPerOrigin: number;
  /** Called for every connection made for a delivery, with the address it leads to. */
  readonly onConnect?: OnConnect;
};

type Deps = { readonly clock: Clock; readonly signingKeys: () => Promise<readonly SigningKey[]> };

/** The sender and its connections. */
export const createSender = (deps: Deps, options: SenderOptions): { send: SendWebhook; close: () => Promise<void> } => {
  const isOnline = createIsOnline(options.resolve);
  const { resolve, allowedNetworks, onConnect = () => undefined } = options;
  const createAgent = createGuardedAgents({
    ...options,
    lookup: createGuardedLookup(resolve, allowedNetworks, isOnline),
  });
  const agent = createAgent({ keepsAlive: true, onConnect });
  // Anyone can make us ping any path. Pings that hang must not use up the connections for deliveries to the same
  // origin.
  const pingAgent = createAgent({ keepsAlive: false, onConnect: () => undefined });
  const sign = onePerSecond(deps);
  const send: SendWebhook = async ({ url, id, eventId, type, body, secret }) => {
    try {
      const { timestamp, signature } = await sign(eventId, body);
      const signable = { id: eventId, timestampSec: Number(timestamp), body };
      const headers = {
        'content-type': 'application/json',
        'user-agent': deliveryUserAgent,
        [deliveryHeaders.event]: type,
        [deliveryHeaders.delivery]: id,
        [deliveryHeaders.id]: eventId,
        [deliveryHeaders.timestamp]: timestamp,
        [deliveryHeaders.signature]:
          secret === undefined ? signature : `${signature} ${secretSignature(secret, signable)}`,
      };
      const slash = url.indexOf('/', 'https://'.length);
      // `exchange` has its own deadline.
      const request = {
        origin: url.slice(0, slash),
        path: url.slice(slash),
        method: 'POST',
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      } as const;
      return judge(await exchange(type === 'ping' ? pingAgent : agent, request, options.timeoutMs));
    } catch (error) {
      return failureOf(error, isOnline);
    }
  };
  return {
    send,
    close: async () => {
      await Promise.all([agent.destroy(), pingAgent.destroy()]);
    },
  };
};

/** Signs each event once a second instead of once per webhook: the key is the service's. */
const onePerSecond = ({ clock, signingKeys }: Deps) => {
  type Signed = { readonly timestamp: string; readonly signature: string };
  let current = { second: 0, signed: new Map<EventId, Promise<Signed>>() };
  const sign = async (eventId: EventId, body: Buffer, timestampSec: number): Promise<Signed> => ({
    timestamp: String(timestampSec),
    signature: signatureHeader(await signingKeys(), { id: eventId, timestampSec, body }),
  });
  return (eventId: EventId, body: Buffer): Promise<Signed> => {
    const second = Math.floor(clock() / 1_000);
    if (current.second !== second) current = { second, signed: new Map() };
    let signed = current.signed.get(eventId);
    if (signed === undefined) current.signed.set(eventId, (signed = sign(eventId, body, second)));
    return signed;
  };
};

const judge = ({ status, retryAfter }: Answer): Outcome => {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  return { ...failed('status'), status, ...(retryAfter === undefined ? {} : { retryAfter }) };
};

const failed = (failure: DeliveryFailure, isOurs = false): Outcome & { kind: 'failed' } => ({
  kind: 'failed',
  failure,
  isOurs,
});

const tlsFault = /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/;
const ownFault = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/;
/** Our fault if nothing else can be reached either. An IPv6-only name on a host without IPv6 is not. */
const unreachable = /^(ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/;

const failureOf = async (error: unknown, isOnline: IsOnline): Promise<Outcome> => {
  // The signing key could not be read.
  if (error instanceof StoreUnreachable) return failed('connect', true);
  if (error instanceof DeadlineExceeded) return failed('timeout');
  if (error instanceof ForbiddenAddress) return failed('forbidden_address');
  if (error instanceof NameUnresolved) return failed('dns', error.isOurs);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (tlsFault.test(code)) return failed('tls');
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return failed('timeout');
  return failed('connect', ownFault.test(code) || (unreachable.test(code) && !(await isOnline())));
};
