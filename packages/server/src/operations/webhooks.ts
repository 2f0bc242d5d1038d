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
  type WebhookTest,
} from '@bot-directory/contract';
import { timestamp, type Clock } from '../base/time.ts';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { attemptInWords } from '../domain/attempt-words.ts';
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
import { parseCategory, parseOneIntegration, type Categories } from '../domain/names.ts';
import { parseAuthor } from '../domain/links.ts';
import { parseSearch } from '../domain/search.ts';
import { parseWebhookSecret } from '../domain/signature.ts';
import { parseWebhookHeaders, WebhookHeaders } from '../domain/webhook-headers.ts';
import { parseWebhookUrl, type WebhookUrl } from '../domain/webhook-url.ts';
import type { Resolve } from '../outbound/resolve.ts';
import type { Outcome, SendWebhook } from '../outbound/send-webhook.ts';
import type { ModerationStore } from '../store/moderation/moderation-store.ts';
import type { DeliveredEvents } from '../store/events/log-views.ts';
import type { QueueState } from '../store/webhooks/queue-state.ts';
import type { SigningKeys } from '../store/signing-keys.ts';
import type { OwnerSecrets, Step, WebhookLimit, WebhookStore } from '../store/webhooks/webhook-store.ts';
import { arrayOf, atMost, invalidInput, operation, reading, refined, type InputRules } from './input.ts';

type Deps = {
  readonly webhooks: WebhookStore;
  readonly moderation: Pick<ModerationStore, 'submissionRules'>;
  readonly addressesOf: Resolve;
  readonly categories: Categories;
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
const filterInput = ({ categories }: InputRules) => {
  const { shape } = refined(sentFilter, {
    category: atMost(
      categories.length,
      arrayOf(reading(z.string(), (raw) => parseCategory(raw, categories))),
    ).nullish(),
    integration: atMost(
      limits.integrationsPerBot,
      arrayOf(reading(z.string(), (raw) => parseOneIntegration(raw, 'as entries of the list: ["slack", "gmail"]'))),
    ).nullish(),
    author: reading(z.string(), parseAuthor).nullish(),
    q: reading(z.string(), parseSearch).nullish(),
  });
  const unknown = `is not a member of a filter; it has ${Object.keys(shape).join(', ')}`;
  return z
    .strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? unknown : undefined) })
    .transform(({ category, integration, author, q }): BotFilter => ({
      categories: [...(category ?? [])].sort(),
      integrations: [...(integration ?? [])].sort(),
      author: author ?? undefined,
      words: q ?? [],
    }));
};

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

/** The subscription that a registration results in. What it leaves out stays as it is held; null is the default. */
const subscriptionFrom = (
  { filter, events, format }: Choice,
  held: Subscription | undefined,
): Subscription | undefined => {
  const { categories, integrations, author, words } = (filter === undefined ? held : filter) ?? anyBot;
  const types = (events === undefined ? held?.types : events) ?? defaultEventTypes;
  return ownSubscription({
    categories,
    integrations,
    author,
    words,
    types: loggedEventTypes.filter((type) => types.includes(type)),
    format: (format === undefined ? held?.format : format) ?? undefined,
  });
};

const textOf = (subscription: Subscription | undefined): string =>
  subscription === undefined ? '' : subscriptionText(subscription);

/** The step past the event that a webhook would be sent next, if it is stopped or waits. */
const stepOf = async (
  events: Pick<DeliveredEvents, 'after'>,
  cursor: number | undefined,
  subscription: Subscription | undefined,
): Promise<Step | undefined> => {
  if (cursor === undefined) return undefined;
  const [failed] = (await events.after(cursor, 1, subscription)).events;
  return failed && { from: cursor, to: failed.number };
};

/** What is shown of a webhook besides its state. */
const shownOf = (
  subscription: Subscription | undefined,
  { secret, headers = noHeaders }: OwnerSecrets,
  { former }: Categories,
) => ({
  events: [...(subscription?.types ?? defaultEventTypes)],
  filter: shownFilter(subscription, former),
  format: subscription?.format ?? null,
  has_secret: secret !== undefined,
  has_headers: !headers.isEmpty,
});

/** Failure: submission_blocked. */
const refuseBlockedHost = async (
  { moderation, addressesOf }: Pick<Deps, 'moderation' | 'addressesOf'>,
  host: string,
): Promise<void> => {
  const { blocks } = await moderation.submissionRules();
  if (await isBlockedHost(blocks, host, addressesOf))
    throw new Failure('submission_blocked', 'The operator of this directory sends no webhooks to this host.');
};

const address = (rules: InputRules) => refined(webhookAddress, { url: publicUrl(rules) });

type PingDeps = Pick<Deps, 'sendWebhook' | 'ids' | 'clock' | 'baseUrl'>;

/**
 * Sends a ping, as deliveries are sent. An endpoint that verifies by secret or header accepts it only with its own, so
 * nobody else can replace them.
 */
const ping = (
  { sendWebhook, ids, clock, baseUrl }: PingDeps,
  url: WebhookUrl,
  { format, ...secrets }: OwnerSecrets & { readonly format: WebhookFormat | undefined },
): Promise<Outcome> => {
  const eventId = ids.event();
  const envelope = pingEnvelope(eventId, clock());
  const body = Buffer.from(JSON.stringify(format === undefined ? envelope : formatted(format, { envelope, baseUrl })));
  return sendWebhook({ url, id: ids.delivery(), eventId, type: 'ping', format, body, ...secrets });
};

/**
 * Registers a URL, resumes one that is stopped or waits, steps past the event that fails, or changes the secret, the
 * headers or the subscription of an active one. The URL is pinged first, and saved only if it responds with 2xx.
 * Failures: submission_blocked, webhook_exists, too_many_webhooks, webhook_ping_failed.
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
  resettable: ['filter', 'events', 'format'],
  run: async (deps: Deps, { url: target, secret, headers, resume, ...choice }, { client }): Promise<Webhook> => {
    const { webhooks, deliveredEvents, ids } = deps;
    await refuseBlockedHost(deps, target.host);
    const known = await webhooks.check(target, client);
    if (known.state === 'too_many') throw tooMany(deps, known.limit);
    const held = known.state === 'free' ? noWebhook : known;
    const subscription = subscriptionFrom(choice, held.subscription);
    const isOther = textOf(subscription) !== textOf(held.subscription);
    const secrets: OwnerSecrets = { secret: secret ?? held.secret, headers: headers ?? held.headers };
    const shown = { url: target.url, ...shownOf(subscription, secrets, deps.categories) };
    const isNew =
      isOther ||
      (secret !== undefined && held.secret?.equals(secret) !== true) ||
      (headers !== undefined && headers.text !== (held.headers ?? noHeaders).text);
    if (known.state === 'active' && known.cursor === undefined && !isNew) throw exists({ id: known.id, ...shown });

    const format = subscription?.format;
    const fault = formatFault(target.url, format);
    if (fault !== undefined) throw invalidInput([fault]);
    const step = resume === 'next' ? await stepOf(deliveredEvents, held.cursor, subscription) : undefined;
    const outcome = await ping(deps, target.url, { format, ...secrets });
    if (outcome.kind !== 'delivered')
      throw new Failure('webhook_ping_failed', `${attemptInWords(outcome)} Nothing was saved.`, {
        reason: outcome.failure,
      });

    await refuseBlockedHost(deps, target.host);
    const chosen = isOther ? (subscription ?? 'common') : undefined;
    const saved = await webhooks.add(ids.webhook(), target, { secret, headers, subscription: chosen, step, client });
    if (saved.outcome === 'too_many') throw tooMany(deps, saved.limit);
    if (saved.outcome === 'exists') throw exists({ id: saved.id, ...shown });
    return { id: saved.id, outcome: saved.outcome, ...shown };
  },
});

const noWebhook = { subscription: undefined, cursor: undefined, secret: undefined, headers: undefined };

/** Pings a registered URL. Failures: submission_blocked, webhook_not_found. */
export const testWebhook = operation({
  input: address,
  run: async (
    deps: PingDeps & Pick<Deps, 'webhooks' | 'moderation' | 'addressesOf'>,
    { url: target },
  ): Promise<WebhookTest> => {
    await refuseBlockedHost(deps, target.host);
    const known = await deps.webhooks.check(target);
    if (known.state === 'free' || known.state === 'too_many') throw notFound();
    const { secret, headers, subscription } = known;
    const sentMs = performance.now();
    const outcome = await ping(deps, target.url, { format: subscription?.format, secret, headers });
    return {
      url: target.url,
      status: outcome.status ?? null,
      failure: outcome.kind === 'delivered' ? null : outcome.failure,
      duration_ms: Math.round(performance.now() - sentMs),
      detail: attemptInWords(outcome),
    };
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
      ...shownOf(subscription, state, categories),
      pending_events: await deliveredEvents.count(state.cursor, subscription, state.accepted),
      last_failure: state.lastFailure ?? null,
      next_attempt_at: state.nextAttemptAtMs === undefined ? null : timestamp(state.nextAttemptAtMs),
      last_attempts: state.attempts.map(({ atMs, status, failure, durationMs }) => ({
        attempted_at: timestamp(atMs),
        status: status ?? null,
        failure: failure ?? null,
        duration_ms: durationMs,
      })),
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
const exists = (webhook: Omit<Webhook, 'outcome'>): Failure =>
  new Failure('webhook_exists', 'This URL is already registered.', { outcome: 'unchanged', ...webhook });

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
