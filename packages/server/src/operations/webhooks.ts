/**
 * Webhooks: add, remove, status, and the keys that verify deliveries. Knowing a URL is the authorisation to use it, and
 * the only way to learn of a stop, since we cannot contact its owner.
 */
import * as z from 'zod';
import {
  defaultEventTypes,
  limits,
  loggedEventTypes,
  newWebhook,
  sentFilter,
  webhookAddress,
  type Webhook,
  type WebhookFormat,
  type WebhookKeys,
  type WebhookStatus,
} from '@bot-directory/contract';
import { timestamp, type Clock } from '../base/time.ts';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { isBlockedHost } from '../domain/block-list.ts';
import { pingEnvelope } from '../domain/event.ts';
import { formatFault, formatted } from '../domain/format.ts';
import {
  anyBot,
  subscriptionText,
  ownSubscription,
  shownFilter,
  type BotFilter,
  type Subscription,
} from '../domain/subscription.ts';
import { parseCategory, parseIntegration, type Categories } from '../domain/names.ts';
import { parseAuthor } from '../domain/links.ts';
import { parseSearch } from '../domain/search.ts';
import { parseWebhookSecret } from '../domain/signature.ts';
import { parseWebhookHeaders, WebhookHeaders } from '../domain/webhook-headers.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';
import type { Resolve } from '../outbound/resolve.ts';
import type { SendWebhook } from '../outbound/send-webhook.ts';
import type { ModerationStore } from '../store/moderation-store.ts';
import type { DeliveredEvents } from '../store/log-views.ts';
import type { QueueState } from '../store/queue-state.ts';
import type { SigningKeys } from '../store/signing-keys.ts';
import type {
  Availability,
  ChosenSubscription,
  OwnerSecrets,
  Step,
  WebhookLimit,
  WebhookStore,
} from '../store/webhook-store.ts';
import { arrayOf, atMost, invalidInput, operation, reading, refined, type InputRules } from './input.ts';

type Deps = {
  readonly webhooks: WebhookStore;
  readonly moderation: Pick<ModerationStore, 'submissionRules'>;
  readonly addressesOf: Resolve;
  /** Counts a registration that a limit refuses. */
  readonly countRefused: (limit: WebhookLimit) => void;
  readonly deliveredEvents: Pick<DeliveredEvents, 'after' | 'count'>;
  readonly sendWebhook: SendWebhook;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly baseUrl: string;
};

const hostRetrySec = 3_600;

const publicUrl = ({ webhook }: InputRules) =>
  reading(z.string(), (raw) => parseWebhookUrl(raw, webhook.allowedNetworks));

/** Allows as many names as a bot has, or as there are. Refuses an unknown member: ignored, it would select all bots. */
const filterInput = ({ categories }: InputRules) =>
  refined(sentFilter, {
    category: atMost(
      categories.length,
      arrayOf(reading(z.string(), (raw) => parseCategory(raw, categories))),
    ).nullish(),
    integration: atMost(limits.integrationsPerBot, arrayOf(reading(z.string(), parseIntegration))).nullish(),
    author: reading(z.string(), parseAuthor).nullish(),
    q: reading(z.string(), parseSearch).nullish(),
  })
    .catchall(z.undefined(`is not a member of a filter; it has ${Object.keys(sentFilter.shape).join(', ')}`))
    .transform(({ category, integration, author, q }): BotFilter => ({
      categories: [...(category ?? [])].sort(),
      integrations: [...(integration ?? [])].sort(),
      author: author ?? undefined,
      words: q ?? [],
    }));

const headersInput = z.unknown().transform((sent, context): WebhookHeaders => {
  const parsed = parseWebhookHeaders(sent);
  if (parsed instanceof WebhookHeaders) return parsed;
  for (const { name, why } of parsed)
    context.addIssue({ code: 'custom', message: why, path: name === undefined ? [] : [name] });
  return z.NEVER;
});

const noHeaders = new WebhookHeaders([]);

/** What a registration may say of a subscription. */
type Choice = {
  readonly filter?: BotFilter | null | undefined;
  readonly events?: Subscription['types'] | null | undefined;
  readonly format?: WebhookFormat | null | undefined;
};

/** The subscription that a registration chooses; undefined if it has neither a filter nor events nor a format. */
const chosenSubscription = ({ filter, events, format }: Choice): ChosenSubscription | undefined => {
  if ((filter ?? events ?? format ?? undefined) === undefined) return undefined;
  const types = loggedEventTypes.filter((type) => (events ?? defaultEventTypes).includes(type));
  return ownSubscription({ ...(filter ?? anyBot), types, ...(format ? { format } : {}) }) ?? 'common';
};

/** The format in which a webhook will be sent events: the one that was chosen, or the one that it has. */
const formatOf = (chosen: ChosenSubscription | undefined, known: Availability): WebhookFormat | undefined => {
  if (chosen === 'common') return undefined;
  return (chosen ?? ('subscription' in known ? known.subscription : undefined))?.format;
};

const textOf = (subscription: ChosenSubscription | undefined): string =>
  subscription === undefined || subscription === 'common' ? '' : subscriptionText(subscription);

/** The step past the event that a webhook would be sent next, if it is stopped or waits. */
const stepOf = async (
  events: Pick<DeliveredEvents, 'after'>,
  known: Availability,
  chosen: ChosenSubscription | undefined,
): Promise<Step | undefined> => {
  if (!('cursor' in known) || known.cursor === undefined) return undefined;
  const subscription = chosen === 'common' ? undefined : (chosen ?? known.subscription);
  const [failed] = (await events.after(known.cursor, 1, subscription)).events;
  return failed && { from: known.cursor, to: failed.number };
};

/** Failure: submission_blocked. */
const refuseBlockedHost = async ({ moderation, addressesOf }: Deps, host: string): Promise<void> => {
  const { blocks } = await moderation.submissionRules();
  if (await isBlockedHost(blocks, host, addressesOf))
    throw new Failure('submission_blocked', 'The operator of this directory sends no webhooks to this host.');
};

const address = (rules: InputRules) => refined(webhookAddress, { url: publicUrl(rules) });

/**
 * Registers a URL, resumes a stopped one, steps past the event that fails, or changes the secret, the headers or the
 * subscription of an active one. The URL is pinged first, and saved only if it responds with 2xx. Failures:
 * submission_blocked, webhook_exists, too_many_webhooks, webhook_ping_failed.
 */
export const addWebhook = operation({
  input: (rules) =>
    refined(newWebhook, {
      url: publicUrl(rules),
      secret: reading(newWebhook.shape.secret.unwrap().unwrap(), parseWebhookSecret).optional(),
      headers: headersInput.optional(),
      filter: filterInput(rules).nullish(),
      events: newWebhook.shape.events,
      format: newWebhook.shape.format,
      resume: newWebhook.shape.resume,
    }),
  run: async (deps: Deps, { url: target, secret, headers, resume, ...choice }, { client }): Promise<Webhook> => {
    const { webhooks, deliveredEvents, sendWebhook, ids, clock, baseUrl } = deps;
    await refuseBlockedHost(deps, target.host);
    const known = await webhooks.check(target, client);
    const chosen = chosenSubscription(choice);
    const step = resume === 'next' ? await stepOf(deliveredEvents, known, chosen) : undefined;
    const held: OwnerSecrets = 'id' in known ? known : {};
    const isOther =
      (secret !== undefined && held.secret?.equals(secret) !== true) ||
      (headers !== undefined && headers.text !== (held.headers ?? noHeaders).text) ||
      (chosen !== undefined && 'subscription' in known && textOf(chosen) !== textOf(known.subscription));
    if (known.state === 'active' && !isOther && step === undefined) throw exists({ id: known.id, url: target.url });
    if (known.state === 'too_many') throw tooMany(deps, known.limit);

    const format = formatOf(chosen, known);
    const fault = formatFault(target.url, format);
    if (fault !== undefined) throw invalidInput([fault]);
    const eventId = ids.event();
    const envelope = pingEnvelope(eventId, clock());
    const body = Buffer.from(
      JSON.stringify(format === undefined ? envelope : formatted(format, { envelope, baseUrl })),
    );
    // An endpoint that verifies by secret or header accepts the ping only with its own, so nobody else can replace it.
    const secrets: OwnerSecrets = { secret: secret ?? held.secret, headers: headers ?? held.headers };
    const signed = { id: ids.delivery(), eventId, body, ...secrets };
    const outcome = await sendWebhook({ url: target.url, type: 'ping', format, ...signed });
    if (outcome.kind !== 'delivered') {
      const { failure } = outcome;
      throw new Failure(
        'webhook_ping_failed',
        `The URL did not answer the ping with a 2xx status (${failure}). Nothing was saved.`,
        { reason: failure },
      );
    }

    await refuseBlockedHost(deps, target.host);
    const saved = await webhooks.add(ids.webhook(), target, { secret, headers, subscription: chosen, step, client });
    if (saved.outcome === 'too_many') throw tooMany(deps, saved.limit);
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

type StatusDeps = Pick<Deps, 'deliveredEvents'> & { readonly queue: QueueState; readonly categories: Categories };

/** Reads how deliveries to a URL are going. Failure: webhook_not_found. */
export const getWebhookStatus = operation({
  input: address,
  run: async ({ queue, deliveredEvents, categories }: StatusDeps, { url: target }): Promise<WebhookStatus> => {
    const state = await queue.statusOf(target);
    if (state === undefined) throw notFound();
    const { subscription } = state;
    return {
      url: target.url,
      state: state.isStopped ? 'stopped' : 'active',
      failures_in_a_row: state.failures,
      events: [...(subscription?.types ?? defaultEventTypes)],
      filter: shownFilter(subscription, categories.former),
      format: subscription?.format ?? null,
      pending_events: await deliveredEvents.count(state.cursor, subscription),
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

const tooMany = ({ countRefused }: Deps, limit: WebhookLimit): Failure => {
  countRefused(limit);
  return new Failure('too_many_webhooks', fullWords[limit], { retryAfterSec: hostRetrySec });
};

const fullWords = {
  host: 'This host has reached its limit of webhooks.',
  domain: 'The hosts of this domain have reached their limit of webhooks.',
  address: 'This address has reached its limit of webhooks that differ only in their queries.',
  path: 'The webhooks whose paths begin as this one have reached their share of the limit of their host.',
  client: 'The webhooks that you registered at this host have reached their share of its limit.',
} satisfies Readonly<Record<WebhookLimit, string>>;
