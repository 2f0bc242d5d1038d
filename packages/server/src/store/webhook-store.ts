/** Registered webhooks, by partition. `deliveries.ts` has their deliveries. */
import type { KeyObject } from 'node:crypto';
import type { DeliveryFailure } from '@bot-directory/contract';
import type { WebhookId } from '../base/ids.ts';
import { parseWebhookSecret, webhookSecretText } from '../domain/signature.ts';
import { registrableDomain, type WebhookTarget, type WebhookUrl } from '../domain/webhook-url.ts';
import { keys, partitionOf, partitions, type Partition } from './keys.ts';
import type { Store } from './redis.ts';

/** The result of a registration. */
export type Registration =
  | { readonly outcome: 'too_many' }
  | { readonly outcome: 'added' | 'resumed' | 'replaced' | 'exists'; readonly id: WebhookId };

/**
 * Whether a URL can be registered. `secret`: the one that its deliveries are signed with. `cursor`: the number of the
 * last event it has, if it is stopped or waits.
 */
export type Availability =
  | { readonly state: 'free' | 'too_many' }
  | {
      readonly state: 'active' | 'stopped';
      readonly id: WebhookId;
      readonly secret: KeyObject | undefined;
      readonly cursor: number | undefined;
    };

/** A step past an event: from the cursor before it to the event's own number. */
export type Step = { readonly from: number; readonly to: number };

/** A webhook's stored secret; `null` if its owner gave none. */
export const storedSecret = (text: string | null | undefined): KeyObject | undefined => {
  const parsed = parseWebhookSecret(text ?? '');
  return parsed.ok ? parsed.value : undefined;
};

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** The most webhooks of one host, and of all hosts of one registrable domain. */
export type WebhookLimits = { readonly perHost: number; readonly perDomain: number };

/** How many stopped webhooks are checked in one step. */
const scanned = 500;

/** The registry of webhooks. */
export const createWebhookStore = (store: Store, { perHost, perDomain }: WebhookLimits) => ({
  /** Whether a URL can be registered now: checked before it is pinged, and again by `add`. */
  check: async ({ url, host }: WebhookTarget): Promise<Availability> => {
    const place = partitionOf(host);
    const [id, count] = await store.call((redis) =>
      Promise.all([redis.hget(place.urls, url), redis.hget(place.hosts, host)]),
    );
    if (id === null) {
      const isFull = Number(count ?? 0) >= perHost || (await countOfDomain(store, host)) >= perDomain;
      return { state: isFull ? 'too_many' : 'free' };
    }
    const [stopped, waits, taken, secret] = await store.call((redis) =>
      Promise.all([
        redis.sismember(place.stopped, id),
        redis.zscore(place.waiting, id),
        redis.hget(place.taken, id),
        redis.hget(place.secrets, id),
      ]),
    );
    return {
      state: stopped === 1 ? 'stopped' : 'active',
      id: id as WebhookId,
      secret: storedSecret(secret),
      cursor: stopped === 1 || waits !== null ? Number(taken) : undefined,
    };
  },

  /** Registers a URL from now on, resumes a stopped one, or changes the secret of an active one. */
  add: async (
    id: WebhookId,
    { url, host }: WebhookTarget,
    { secret, step }: { readonly secret?: KeyObject | undefined; readonly step?: Step | undefined } = {},
  ): Promise<Registration> => {
    // Read before the webhook exists: at worst it is sent an event that was published meanwhile, but it misses none.
    const head = (await store.call((redis) => redis.hget(keys.state, 'events'))) ?? '0';
    const { urls, hosts, targets, cursor, stopped, taken, failures, secrets, domains, waiting } = partitionOf(host);
    const reply = await store.script(
      'add-webhook',
      [urls, hosts, targets, cursor, stopped, taken, failures, secrets, domains, waiting],
      [
        ...[id, url, host, perHost, head],
        ...[secret === undefined ? '' : webhookSecretText(secret), registrableDomain(host)],
        ...[step?.from ?? '', step?.to ?? ''],
      ],
    );
    const [outcome, saved] = reply as [Registration['outcome'], WebhookId];
    return outcome === 'too_many' ? { outcome } : { outcome, id: saved };
  },

  /** Removes a URL. Returns whether it was registered. */
  remove: (target: WebhookTarget): Promise<boolean> => remove(store, target, 'any'),

  /**
   * The last event that every active webhook has; `Number.MAX_SAFE_INTEGER` if none of them waits for an event.
   */
  lowestCursor: async (): Promise<number> => {
    const announced = Number((await store.call((redis) => redis.hget(keys.state, 'announced'))) ?? '0');
    const cursors = await Promise.all(
      partitions.map(({ cursor, yielded, leased, waiting, taken }) =>
        store.script('lowest-cursor', [cursor, yielded, leased, waiting, taken], []),
      ),
    );
    const lowest = Math.min(...cursors.filter((found) => found !== '').map(Number));
    return lowest < announced ? lowest : Number.MAX_SAFE_INTEGER;
  },

  /** Removes the stopped webhooks that have not been sent the event with this number. */
  forgetStopped: async (number: number): Promise<void> => {
    for (const partition of partitions)
      for (const target of await stoppedBefore(store, partition, number)) await remove(store, target, 'stopped');
  },
});

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

const remove = async (
  store: Store,
  { url, host }: Pick<WebhookTarget, 'url' | 'host'>,
  state: 'any' | 'stopped',
): Promise<boolean> => {
  const {
    urls,
    hosts,
    targets,
    taken,
    failures,
    secrets,
    stopped,
    cursor,
    leased,
    waiting,
    yielded,
    domains,
    skipped,
  } = partitionOf(host);
  const reply = await store.script(
    'remove-webhook',
    [urls, hosts, targets, taken, failures, secrets, stopped, cursor, leased, waiting, yielded, domains, skipped],
    [url, host, registrableDomain(host), state],
  );
  return reply !== 'missing';
};

/** Which stopped webhooks: those that stopped at `sinceMs`, by the store's clock, or later, and failed so last. */
export type Stopped = { readonly sinceMs: number; readonly failure: DeliveryFailure | undefined };

/** Counts stopped webhooks or resumes them where they stopped, a batch at a time. Returns how many they are. */
export const resumeStopped = async (
  store: Store,
  { sinceMs, failure }: Stopped,
  action: 'count' | 'resume',
): Promise<number> => {
  let count = 0;
  for (const partition of partitions) {
    const { stopped, cursor, taken, failures } = partition;
    for await (const ids of scanStopped(store, partition)) {
      const args = [sinceMs, failure ?? '', action === 'resume' ? 1 : '', ...ids];
      count += Number(await store.script('resume-webhooks', [stopped, cursor, taken, failures], args));
    }
  }
  return count;
};

/** The stopped webhooks of a partition, in no order. */
async function* scanStopped(store: Store, { stopped }: Partition): AsyncGenerator<readonly string[]> {
  let next = '0';
  do {
    const [after, ids] = await store.call((redis) => redis.sscan(stopped, next, 'COUNT', scanned));
    next = after;
    if (ids.length > 0) yield ids;
  } while (next !== '0');
}

/** The stopped webhooks of a partition whose last event is before this one. */
const stoppedBefore = async (
  store: Store,
  partition: Partition,
  number: number,
): Promise<{ url: WebhookUrl; host: string }[]> => {
  const { taken, targets } = partition;
  const found: { url: WebhookUrl; host: string }[] = [];
  for await (const ids of scanStopped(store, partition)) {
    const [cursors, urls] = await store.call((redis) =>
      Promise.all([redis.hmget(taken, ...ids), redis.hmget(targets, ...ids)]),
    );
    for (const [i, url] of urls.entries())
      if (url !== null && Number(cursors[i]) < number)
        found.push({ url: url as WebhookUrl, host: new URL(url).hostname });
  }
  return found;
};
