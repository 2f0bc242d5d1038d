/** Registered webhooks, by partition. `deliveries.ts` has the deliveries. */
import type { KeyObject } from 'node:crypto';
import type { DeliveryFailure } from '@bot-directory/contract';
import { StoreUnreachable } from '../../base/failure.ts';
import type { WebhookId } from '../../base/ids.ts';
import { parseSubscription, subscriptionText, type Subscription } from '../../domain/subscription.ts';
import { parseWebhookSecret, webhookSecretText } from '../../domain/signature.ts';
import { storedHeaders, type WebhookHeaders } from '../../domain/webhook-headers.ts';
import { mostOf, sharesOf, webhookShares } from '../../domain/webhook-shares.ts';
import { registrableDomain, type WebhookTarget, type WebhookUrl } from '../../domain/webhook-url.ts';
import { markIfKnown } from '../client-mark.ts';
import { keys, partitionOf, partitions, queues, webhookKeys, type Queue } from '../keys.ts';
import { scanMembers, type Store } from '../../redis/redis.ts';

/** The limits that a registration may reach: those that `sharesOf` names, and that of a registrable domain. */
export const webhookLimits = [...webhookShares, 'domain'] as const;
export type WebhookLimit = (typeof webhookLimits)[number];

/** The result of a registration. */
export type Registration =
  | { readonly outcome: 'too_many'; readonly limit: WebhookLimit }
  | { readonly outcome: 'added' | 'resumed' | 'replaced' | 'exists'; readonly id: WebhookId };

/** What only the owner of a webhook knows: the secret that signs its deliveries, and the headers that they carry. */
export type OwnerSecrets = {
  readonly secret?: KeyObject | undefined;
  readonly headers?: WebhookHeaders | undefined;
};

/**
 * Whether a URL can be registered. `subscription`: its own, if it has one. `cursor`: the number of the last event it
 * has, if it is stopped or waits.
 */
export type Availability =
  | { readonly state: 'free' }
  | { readonly state: 'too_many'; readonly limit: WebhookLimit }
  | (OwnerSecrets & {
      readonly state: 'active' | 'stopped';
      readonly id: WebhookId;
      readonly subscription: Subscription | undefined;
      readonly cursor: number | undefined;
    });

/** A step past an event: from the cursor before it to the event's own number. */
export type Step = { readonly from: number; readonly to: number };

const noSecrets: OwnerSecrets = {};

/** Splits what the store has of an owner: the secret and, on a second line, the headers. Either may be empty. */
export const splitSecrets = (text: string | null): readonly [secret: string, headers: string] => {
  const [secret = '', headers = ''] = text?.split('\n', 2) ?? [];
  return [secret, headers];
};

/** Joins them again. */
export const joinSecrets = (secret: string, headers: string): string =>
  headers === '' ? secret : `${secret}\n${headers}`;

/** Parses what a webhook's owner gave. */
export const storedSecrets = (text: string | null | undefined): OwnerSecrets => {
  if (!text) return noSecrets;
  const [secret, headers] = splitSecrets(text);
  const parsed = parseWebhookSecret(secret);
  return { secret: parsed.ok ? parsed.value : undefined, headers: storedHeaders(headers) };
};

/** A webhook as `read-webhook.lua` returns it. */
export type StoredWebhook = [
  id: WebhookId,
  isStopped: number,
  cursor: string,
  dueAtMs: string | null,
  failures: string | null,
  skipped: string | null,
  subscription: string | null,
  secrets: string | null,
  attempts: string | null,
];

/** What a webhook is to want: a subscription of its own, or what every webhook gets. */
export type ChosenSubscription = Subscription | 'common';

/** What a registration brings. */
type Registered = OwnerSecrets & {
  readonly subscription?: ChosenSubscription | undefined;
  readonly step?: Step | undefined;
  /** The network of the client. */
  readonly client?: string | undefined;
};

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** The most webhooks of one host, and of all hosts of one registrable domain. */
export type WebhookLimits = { readonly perHost: number; readonly perDomain: number };

/** A registration as its script takes it. `head`: the last event that a new webhook is not sent. */
type RegistrationArgs = Omit<Registered, 'client'> & {
  readonly id: WebhookId;
  readonly target: WebhookTarget;
  readonly mark?: string | undefined;
  readonly head: string | number;
  readonly limits: readonly (string | number)[];
};

/** The arguments of `add-webhook.lua`. */
export const registrationArgs = (registration: RegistrationArgs): (string | number)[] => {
  const { id, target, mark = '', head, limits, secret, headers, step, subscription } = registration;
  return [
    id,
    target.url,
    mark,
    head,
    secret === undefined ? '' : webhookSecretText(secret),
    headers === undefined ? '' : headers.isEmpty ? '-' : headers.text,
    registrableDomain(target.host),
    step?.from ?? '',
    step?.to ?? '',
    subscription === 'common' ? '-' : subscription === undefined ? '' : subscriptionText(subscription),
    ...limits,
  ];
};

/** The registry of webhooks. */
export const createWebhookStore = (store: Store, { perHost, perDomain }: WebhookLimits) => ({
  /** Whether a URL can be registered now: checked before it is pinged, and again by `add`. */
  check: async (target: WebhookTarget, client?: string): Promise<Availability> => {
    const place = partitionOf(target.host);
    const reply = await store.script('read-webhook', webhookKeys(place), [target.url]);
    if (reply === 'missing') {
      const shares = sharesOf(target, await markIfKnown(store, client));
      const counts = await store.call((redis) => redis.hmget(place.hosts, ...shares.map(({ name }) => name)));
      const full = shares.find(({ share }, i) => Number(counts[i] ?? 0) >= mostOf(share, perHost));
      if (full !== undefined) return { state: 'too_many', limit: full.share };
      if ((await countOfDomain(store, target.host)) >= perDomain) return { state: 'too_many', limit: 'domain' };
      return { state: 'free' };
    }
    const [id, isStopped, cursor, dueAtMs, , , subscription, secrets] = reply as StoredWebhook;
    return {
      state: isStopped === 1 ? 'stopped' : 'active',
      id,
      ...storedSecrets(secrets),
      subscription: parseSubscription(subscription),
      cursor: isStopped === 1 || dueAtMs !== null ? Number(cursor) : undefined,
    };
  },

  /**
   * Registers a URL from now on, resumes a stopped one, or changes the secret, the headers or the subscription of an
   * active one. It keeps what it has of those that are not given.
   */
  add: async (
    id: WebhookId,
    target: WebhookTarget,
    { client, ...registered }: Registered = {},
  ): Promise<Registration> => {
    // Read before the webhook exists: at worst it is sent an event that was published meanwhile, but it misses none.
    const [version, head] = await store.call((redis) => redis.hmget(keys.state, 'version', 'events'));
    store.known.refuseEmptied(version);
    const mark = await markIfKnown(store, client);
    const shares = sharesOf(target, mark);
    const limits = shares.flatMap(({ share, name }) => [name, mostOf(share, perHost)]);
    const reply = await store.script(
      'add-webhook',
      webhookKeys(partitionOf(target.host)),
      registrationArgs({ id, target, mark, head: head ?? '0', limits, ...registered }),
    );
    const [outcome, saved] = reply as [Registration['outcome'], WebhookId | number];
    if (outcome === 'too_many') return { outcome, limit: shares[Number(saved)]?.share ?? 'host' };
    await noteRegistration(store);
    return { outcome, id: saved as WebhookId };
  },

  /** Removes a URL. Returns whether it was registered. */
  remove: (target: WebhookTarget): Promise<boolean> => remove(store, target, 'any'),

  /**
   * The last event that every active webhook has; `Number.MAX_SAFE_INTEGER` if none of them waits for an event.
   */
  lowestCursor: async (): Promise<number> => {
    const [announced, last] = await store.call((redis) => redis.hmget(keys.state, 'announced', 'events'));
    const cursors = await Promise.all(
      queues.map(async ({ cursor, yielded, leased, waiting, taken, asleep, watermark, isOwn }) => {
        const others = isOwn ? [asleep, watermark] : [];
        const lowest = await store.script('lowest-cursor', [cursor, yielded, leased, waiting, taken, ...others], []);
        return lowest !== '' && Number(lowest) < Number((isOwn ? last : announced) ?? 0) ? [Number(lowest)] : [];
      }),
    );
    return Math.min(Number.MAX_SAFE_INTEGER, ...cursors.flat());
  },

  /** Removes the stopped webhooks that have not been sent the event with this number. */
  forgetStopped: async (number: number): Promise<void> => {
    for (const queue of queues)
      for (const target of await stoppedBefore(store, queue, number)) await remove(store, target, 'stopped');
  },
});

/**
 * Makes every process check empty queues again with the next event. The webhook is registered already; if this fails,
 * it waits until everything is checked.
 */
const noteRegistration = async (store: Store): Promise<void> => {
  try {
    await store.call((redis) => redis.hincrby(keys.state, 'registered', 1));
  } catch (error) {
    if (!(error instanceof StoreUnreachable)) throw error;
  }
};

/**
 * A domain's hosts are in several partitions, so the registering script cannot enforce this limit: a few too many may
 * slip in.
 */
const countOfDomain = async (store: Store, host: string): Promise<number> => {
  const counts = await store.call((redis) =>
    Promise.all(partitions.map(({ domains }) => redis.hget(domains, registrableDomain(host)))),
  );
  return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
};

/** Removes a webhook. Returns whether there was one. */
export const remove = async (store: Store, target: WebhookTarget, state: 'any' | 'stopped'): Promise<boolean> => {
  const { url, host } = target;
  const args = [url, host, registrableDomain(host), state, ...sharesOf(target, undefined).map(({ name }) => name)];
  const reply = await store.script('remove-webhook', webhookKeys(partitionOf(host)), args);
  return reply !== 'missing';
};

/** Which stopped webhooks: those that stopped at `sinceMs`, by the store's clock, or later, with this last failure. */
export type Stopped = { readonly sinceMs: number; readonly failure: DeliveryFailure | undefined };

/** Counts stopped webhooks or resumes them where they stopped, a batch at a time. Returns how many they are. */
export const resumeStopped = async (
  store: Store,
  { sinceMs, failure }: Stopped,
  action: 'count' | 'resume',
): Promise<number> => {
  let count = 0;
  for (const queue of queues) {
    const { stopped, cursor, taken, failures } = queue;
    for await (const ids of scanMembers(store, stopped, 'set')) {
      const args = [sinceMs, failure ?? '', action === 'resume' ? 1 : '', ...ids];
      count += Number(await store.script('resume-webhooks', [stopped, cursor, taken, failures], args));
    }
  }
  if (action === 'resume') await noteRegistration(store);
  return count;
};

/** The stopped webhooks of a queue whose last event is before this one. */
const stoppedBefore = async (
  store: Store,
  queue: Queue,
  number: number,
): Promise<{ url: WebhookUrl; host: string }[]> => {
  const { stopped, taken, targets } = queue;
  const found: { url: WebhookUrl; host: string }[] = [];
  for await (const ids of scanMembers(store, stopped, 'set')) {
    const [cursors, urls] = await store.call((redis) =>
      Promise.all([redis.hmget(taken, ...ids), redis.hmget(targets, ...ids)]),
    );
    for (const [i, url] of urls.entries())
      if (url !== null && Number(cursors[i]) < number)
        found.push({ url: url as WebhookUrl, host: new URL(url).hostname });
  }
  return found;
};
