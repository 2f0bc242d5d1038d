/**
 * Webhooks: add, remove, status, and the keys that verify deliveries. Knowing a URL is the authorisation to use it, and
 * the only way to learn of a stop, since we cannot contact its owner.
 */
import * as z from 'zod';
import {
  newWebhook,
  webhookAddress,
  type Webhook,
  type WebhookKeys,
  type WebhookStatus,
} from '@bot-directory/contract';
import { timestamp, type Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { pingEnvelope } from '../domain/event.ts';
import { parseWebhookSecret } from '../domain/signature.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';
import type { SendWebhook } from '../outbound/send-webhook.ts';
import type { DeliveredEvents } from '../store/event-log.ts';
import type { QueueState } from '../store/queue-state.ts';
import type { SigningKeys } from '../store/signing-keys.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { operation, reading, refined, type InputRules } from './input.ts';

type Deps = {
  readonly webhooks: WebhookStore;
  readonly deliveredEvents: Pick<DeliveredEvents, 'after'>;
  readonly sendWebhook: SendWebhook;
  readonly ids: Ids;
  readonly clock: Clock;
};

const hostRetrySec = 3_600;

const publicUrl = ({ webhook }: InputRules) =>
  reading(z.string(), (raw) => parseWebhookUrl(raw, webhook.allowedNetworks));

const address = (rules: InputRules) => refined(webhookAddress, { url: publicUrl(rules) });

/**
 * Registers a URL, resumes a stopped one, steps past the event that fails, or changes the secret of an active one. The
 * URL is pinged first, and saved only if it responds with 2xx. Failures: webhook_exists, too_many_webhooks,
 * webhook_ping_failed.
 */
export const addWebhook = operation({
  input: (rules) =>
    refined(newWebhook, {
      url: publicUrl(rules),
      secret: reading(newWebhook.shape.secret.unwrap().unwrap(), parseWebhookSecret).optional(),
      resume: newWebhook.shape.resume,
    }),
  run: async (
    { webhooks, deliveredEvents, sendWebhook, ids, clock }: Deps,
    { url: target, secret, resume },
  ): Promise<Webhook> => {
    const known = await webhooks.check(target);
    const from = resume === 'next' && 'cursor' in known ? known.cursor : undefined;
    const [failed] = from === undefined ? [] : await deliveredEvents.after(from, 1);
    const step = from === undefined || failed === undefined ? undefined : { from, to: failed.number };
    const held = 'secret' in known ? known.secret : undefined;
    const isOther = secret !== undefined && held?.equals(secret) !== true;
    if (known.state === 'active' && !isOther && step === undefined) throw exists({ id: known.id, url: target.url });
    if (known.state === 'too_many') throw tooMany();

    const eventId = ids.event();
    const body = Buffer.from(JSON.stringify(pingEnvelope(eventId, clock())));
    // An endpoint that verifies by secret accepts the ping only with its own, so nobody else can replace it.
    const ping = { url: target.url, id: ids.delivery(), eventId, type: 'ping', body, secret: secret ?? held } as const;
    const outcome = await sendWebhook(ping);
    if (outcome.kind !== 'delivered')
      throw new Failure(
        'webhook_ping_failed',
        `The URL did not answer the ping with a 2xx status (${outcome.failure}). Nothing was saved.`,
        { reason: outcome.failure },
      );

    const saved = await webhooks.add(ids.webhook(), target, { secret, step });
    if (saved.outcome === 'too_many') throw tooMany();
    const webhook = { id: saved.id, url: target.url };
    if (saved.outcome === 'exists') throw exists(webhook);
    return webhook;
  },
});

/** Removes a URL. Failure: webhook_not_found. */
export const removeWebhook = operation({
  input: address,
  run: async ({ webhooks }: { readonly webhooks: WebhookStore }, { url: target }): Promise<{ url: string }> => {
    if (!(await webhooks.remove(target))) throw notFound();
    return { url: target.url };
  },
});

/** Reads how deliveries to a URL are going. Failure: webhook_not_found. */
export const getWebhookStatus = operation({
  input: address,
  run: async ({ queue }: { readonly queue: QueueState }, { url: target }): Promise<WebhookStatus> => {
    const state = await queue.statusOf(target);
    if (state === undefined) throw notFound();
    return {
      url: target.url,
      state: state.isStopped ? 'stopped' : 'active',
      failures_in_a_row: state.failures,
      pending_events: state.pending,
      last_failure: state.lastFailure ?? null,
      next_attempt_at: state.nextAttemptAtMs === undefined ? null : timestamp(state.nextAttemptAtMs),
      skipped_events: state.skipped.map(({ id, failure, atMs }) => ({ id, failure, skipped_at: timestamp(atMs) })),
    };
  },
});

/** Lists the keys that verify deliveries, the current one first. */
export const listWebhookKeys = operation({
  input: () => z.unknown(),
  run: async ({ signingKeys }: { readonly signingKeys: SigningKeys }): Promise<WebhookKeys> => {
    const keys = await signingKeys();
    return { keys: keys.map(({ id, publicKey }) => ({ id, algorithm: 'ed25519', public_key: publicKey })) };
  },
});

const notFound = (): Failure => new Failure('webhook_not_found', 'No webhook is registered for this URL.');
const exists = (webhook: Webhook): Failure => new Failure('webhook_exists', 'This URL is already registered.', webhook);
const tooMany = (): Failure =>
  new Failure('too_many_webhooks', 'This host has reached its limit of webhooks.', {
    retryAfterSec: hostRetrySec,
  });
