/** Registered webhooks: who is registered, in which partition. Their deliveries are `deliveries.ts`. */
import type { KeyObject } from 'node:crypto';
import type { WebhookId } from '../base/ids.ts';
import { parseWebhookSecret, webhookSecretText } from '../domain/signature.ts';
import type { WebhookTarget } from '../domain/webhook-url.ts';
import { keys, partitionOf } from './keys.ts';
import type { Store } from './redis.ts';

/** What became of a registration. */
export type Registration =
  | { readonly outcome: 'too_many' }
  | { readonly outcome: 'added' | 'resumed' | 'replaced' | 'exists'; readonly id: WebhookId };

/** Whether a URL could be registered. `secret`: the one its deliveries are signed with. */
export type Availability =
  | { readonly state: 'free' | 'too_many' }
  | { readonly state: 'active' | 'stopped'; readonly id: WebhookId; readonly secret: KeyObject | undefined };

/** The secret of a webhook as it is stored; `null` when its owner gave none. */
export const storedSecret = (text: string | null | undefined): KeyObject | undefined => {
  const parsed = parseWebhookSecret(text ?? '');
  return parsed.ok ? parsed.value : undefined;
};

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
    const [stopped, secret] = await store.call((redis) =>
      Promise.all([redis.sismember(place.stopped, id), redis.hget(place.secrets, id)]),
    );
    return { state: stopped === 1 ? 'stopped' : 'active', id: id as WebhookId, secret: storedSecret(secret) };
  },

  /** Registers a URL from the present on, resumes a stopped one, or gives an active one another secret. */
  add: async (id: WebhookId, { url, host }: WebhookTarget, secret?: KeyObject): Promise<Registration> => {
    // Read before the webhook is there: at worst it is sent an event that was published meanwhile, and misses none.
    const head = (await store.call((redis) => redis.hget(keys.state, 'events'))) ?? '0';
    const { urls, hosts, targets, cursor, stopped, taken, failures, secrets } = partitionOf(host);
    const reply = await store.script(
      'add-webhook',
      [urls, hosts, targets, cursor, stopped, taken, failures, secrets],
      [id, url, host, perHost, head, secret === undefined ? '' : webhookSecretText(secret)],
    );
    const [outcome, saved] = reply as [Registration['outcome'], WebhookId];
    return outcome === 'too_many' ? { outcome } : { outcome, id: saved };
  },

  /** Forgets a URL. Says whether it was registered. */
  remove: async ({ url, host }: WebhookTarget): Promise<boolean> => {
    const { urls, hosts, targets, taken, failures, secrets, stopped, cursor, leased, waiting, yielded } =
      partitionOf(host);
    const reply = await store.script(
      'remove-webhook',
      [urls, hosts, targets, taken, failures, secrets, stopped, cursor, leased, waiting, yielded],
      [url, host],
    );
    return reply !== 'missing';
  },
});
