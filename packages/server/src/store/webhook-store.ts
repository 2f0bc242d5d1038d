/** Registered webhooks: who is registered, in which partition. Their deliveries are `deliveries.ts`. */
import type { WebhookId } from '../base/ids.ts';
import type { WebhookTarget } from '../domain/webhook-url.ts';
import { keys, partitionOf } from './keys.ts';
import type { Store } from './redis.ts';

/** What became of a registration. */
export type Registration =
  { readonly outcome: 'too_many' } | { readonly outcome: 'added' | 'resumed' | 'exists'; readonly id: WebhookId };

/** Whether a URL could be registered. */
export type Availability =
  { readonly state: 'free' | 'too_many' } | { readonly state: 'active' | 'stopped'; readonly id: WebhookId };

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** The registry of webhooks; a host may have `perHost` of them. */
export const createWebhookStore = (store: Store, perHost: number) => ({
  /** Whether a URL could be registered now: decided before it is pinged, and again by `add`. */
  check: async ({ url, host }: WebhookTarget): Promise<Availability> => {
    const place = partitionOf(host);
    const [id, count] = await store.call((redis) =>
      Promise.all([redis.hget(place.urls, url), redis.hget(place.hosts, host)]),
    );
    if (id === null) return { state: Number(count ?? 0) >= perHost ? 'too_many' : 'free' };
    const stopped = await store.call((redis) => redis.sismember(place.stopped, id));
    return { state: stopped === 1 ? 'stopped' : 'active', id: id as WebhookId };
  },

  /** Registers a URL from the present on, or resumes a stopped one. */
  add: async (id: WebhookId, { url, host }: WebhookTarget): Promise<Registration> => {
    // Read before the webhook is there: at worst it is sent an event that was published meanwhile, and misses none.
    const head = (await store.call((redis) => redis.hget(keys.state, 'events'))) ?? '0';
    const { urls, hosts, targets, cursor, stopped, taken, failures } = partitionOf(host);
    const reply = await store.script(
      'add-webhook',
      [urls, hosts, targets, cursor, stopped, taken, failures],
      [id, url, host, perHost, head],
    );
    const [outcome, saved] = reply as [Registration['outcome'], WebhookId];
    return outcome === 'too_many' ? { outcome } : { outcome, id: saved };
  },

  /** Forgets a URL. Says whether it was registered. */
  remove: async ({ url, host }: WebhookTarget): Promise<boolean> => {
    const { urls, hosts, targets, taken, failures, stopped, cursor, leased, waiting } = partitionOf(host);
    const reply = await store.script(
      'remove-webhook',
      [urls, hosts, targets, taken, failures, stopped, cursor, leased, waiting],
      [url, host],
    );
    return reply !== 'missing';
  },
});
