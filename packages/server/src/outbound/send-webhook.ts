/**
 * One POST to a webhook: delivery → outcome. It never throws, never follows a redirect, reads at most 16 KB of the
 * answer and throws them away, and ends within one total deadline. Where it may connect is decided at every connect.
 */
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { deliveryHeaders, deliveryUserAgent, type EventType, type PingFailure } from '@bot-directory/contract';
import type { Clock } from '../base/clock.ts';
import { StoreUnreachable } from '../base/failure.ts';
import type { DeliveryId, EventId } from '../base/ids.ts';
import { isPermitted, type Network } from '../domain/ip-address.ts';
import { signatureHeader, type SigningKey } from '../domain/signature.ts';
import type { WebhookUrl } from '../domain/webhook-url.ts';
import { createGuardedLookup, ForbiddenAddress, NameUnresolved, type Resolve } from './guarded-lookup.ts';

/** One envelope for one webhook, as it goes out. */
export type Delivery = { readonly url: WebhookUrl; readonly id: DeliveryId; readonly eventId: EventId; readonly type: EventType; readonly body: Buffer };

/** What came of an attempt. `ours`: the fault is this side's, so it does not count against the webhook. */
export type Outcome =
  | { readonly outcome: 'delivered'; readonly status: number }
  | { readonly outcome: 'failed'; readonly failure: PingFailure; readonly ours: boolean; readonly status?: number; readonly retryAfter?: string };

export type SendWebhook = (delivery: Delivery) => Promise<Outcome>;

/** Settings of the sender. `ca` and `resolve` are for tests; without them the system's are used. */
export type SenderOptions = {
  readonly timeoutMs: number;
  readonly allowedNetworks: readonly Network[];
  readonly resolve: Resolve;
  readonly ca?: string;
  /** Most connections to one origin. */
  readonly connectionsPerOrigin: number;
};

type Deps = { readonly clock: Clock; readonly signingKeys: () => Promise<readonly SigningKey[]> };

const maxAnswerBytes = 16_384;

/** The sender and its connections. */
export const createSender = (deps: Deps, options: SenderOptions): { send: SendWebhook; close: () => Promise<void> } => {
  const agent = guardedAgent(options);
  const sign = onePerSecond(deps);
  const send: SendWebhook = async ({ url, id, eventId, type, body }) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), options.timeoutMs);
    try {
      const { timestampSec, signature } = await sign(eventId, body);
      const answer = await agent.request({
        ...split(url),
        method: 'POST',
        signal: deadline.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
        body,
        headers: [
          ...['content-type', 'application/json', 'user-agent', deliveryUserAgent],
          ...[deliveryHeaders.event, type, deliveryHeaders.delivery, id],
          ...[deliveryHeaders.id, eventId, deliveryHeaders.timestamp, String(timestampSec), deliveryHeaders.signature, signature],
        ],
      });
      await answer.body.dump({ limit: maxAnswerBytes });
      return deadline.signal.aborted ? failed('timeout') : judge(answer.statusCode, answer.headers['retry-after']);
    } catch (error) {
      return deadline.signal.aborted ? failed('timeout') : failureOf(error);
    } finally {
      clearTimeout(timer);
    }
  };
  return { send, close: () => agent.destroy() };
};

const guardedAgent = ({ allowedNetworks, resolve, ca, timeoutMs, connectionsPerOrigin }: SenderOptions): Agent => {
  const connect = buildConnector({
    lookup: createGuardedLookup(resolve, allowedNetworks),
    timeout: timeoutMs,
    // One context for every host: making one per connection costs more than the handshake.
    secureContext: createSecureContext(ca === undefined ? {} : { ca }),
  });
  return new Agent({
    connections: connectionsPerOrigin,
    // Literals never reach the look-up.
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isPermitted(host, allowedNetworks)) return callback(new ForbiddenAddress(), null);
      connect(options, callback);
    },
  });
};

/** Signs each event once a second, not once a webhook: the key is the service's. */
const onePerSecond = ({ clock, signingKeys }: Deps) => {
  let current = { second: 0, signatures: new Map<EventId, string>() };
  return async (eventId: EventId, body: Buffer): Promise<{ timestampSec: number; signature: string }> => {
    const keys = await signingKeys();
    const timestampSec = Math.floor(clock() / 1_000);
    if (current.second !== timestampSec) current = { second: timestampSec, signatures: new Map() };
    let signature = current.signatures.get(eventId);
    if (signature === undefined) {
      signature = signatureHeader(keys, { id: eventId, timestampSec, body });
      current.signatures.set(eventId, signature);
    }
    return { timestampSec, signature };
  };
};

const split = (url: WebhookUrl): { origin: string; path: string } => {
  const slash = url.indexOf('/', 'https://'.length);
  return { origin: url.slice(0, slash), path: url.slice(slash) };
};

const judge = (status: number, retryAfter: string | string[] | undefined): Outcome => {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status };
  return { ...failed('status'), status, ...(typeof retryAfter === 'string' ? { retryAfter } : {}) };
};

const failed = (failure: PingFailure, ours = false): Outcome & { outcome: 'failed' } => ({ outcome: 'failed', failure, ours });

const tlsFault = /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/;
const ownFault = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|ENETUNREACH|ENETDOWN|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/;

const failureOf = (error: unknown): Outcome => {
  // The signing key could not be read.
  if (error instanceof StoreUnreachable) return failed('connect', true);
  if (error instanceof ForbiddenAddress) return failed('forbidden_address');
  if (error instanceof NameUnresolved) return failed('dns', error.ours);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (tlsFault.test(code)) return failed('tls');
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return failed('timeout');
  return failed('connect', ownFault.test(code));
};
