/** Adds a webhook: the URL is pinged first, and saved only if it responds with 2xx. */
import type { KeyObject } from 'node:crypto';
import type { Webhook } from '@bot-directory/contract';
import type { Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { pingEnvelope } from '../domain/event.ts';
import type { WebhookTarget } from '../domain/webhook-url.ts';
import type { SendWebhook } from '../outbound/send-webhook.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

type Deps = {
  readonly webhooks: WebhookStore;
  readonly sendWebhook: SendWebhook;
  readonly ids: Ids;
  readonly clock: Clock;
};

const hostRetrySec = 3_600;

/**
 * Registers a URL, resumes a stopped one, or changes the secret of an active one. Failures: webhook_exists,
 * too_many_webhooks, webhook_ping_failed.
 */
export const addWebhook = async (
  { webhooks, sendWebhook, ids, clock }: Deps,
  address: WebhookTarget,
  secret?: KeyObject,
): Promise<Webhook> => {
  const known = await webhooks.check(address);
  const held = 'secret' in known ? known.secret : undefined;
  const isOther = secret !== undefined && held?.equals(secret) !== true;
  if (known.state === 'active' && !isOther) throw exists({ id: known.id, url: address.url });
  if (known.state === 'too_many') throw tooMany();

  const eventId = ids.event();
  const body = Buffer.from(JSON.stringify(pingEnvelope(eventId, clock())));
  // An endpoint that verifies by secret accepts the ping only with its own, so nobody else can replace it.
  const ping = { url: address.url, id: ids.delivery(), eventId, type: 'ping', body, secret: secret ?? held } as const;
  const answer = await sendWebhook(ping);
  if (answer.kind !== 'delivered') {
    throw new Failure(
      'webhook_ping_failed',
      `The URL did not answer the ping with a 2xx status (${answer.failure}). Nothing was saved.`,
      { reason: answer.failure },
    );
  }

  const saved = await webhooks.add(ids.webhook(), address, secret);
  if (saved.outcome === 'too_many') throw tooMany();
  const webhook = { id: saved.id, url: address.url };
  if (saved.outcome === 'exists') throw exists(webhook);
  return webhook;
};

const exists = (webhook: Webhook): Failure => new Failure('webhook_exists', 'This URL is registered already.', webhook);
const tooMany = (): Failure =>
  new Failure('too_many_webhooks', 'This host has as many webhooks as one host may have.', {
    retryAfterSec: hostRetrySec,
  });
