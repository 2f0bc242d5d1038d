/**
 * How indexes follow from other data, for `rebuild.ts`, which writes them, `check.ts`, which compares them, and an
 * import.
 */
import { missingTemplate } from '../../domain/bot.ts';
import { keptOfRemoved } from '../../domain/moderation.ts';
import { topicsOf, type Subscription } from '../../domain/subscription.ts';
import { sharesOf } from '../../domain/webhook-shares.ts';
import { registrableDomain, type WebhookUrl } from '../../domain/webhook-url.ts';
import { keys, ownQueue, type Partition } from '../keys.ts';
import type { RedisClient, Store } from '../redis.ts';

/** The fields of a hash. */
type Fields = Readonly<Record<string, string>>;

/** The fields of a hash; none if there is something else under its key. */
export const hashAt = async (store: Store, key: string): Promise<Record<string, string>> =>
  (await store.call((redis) => redis.type(key))) === 'hash' ? store.call((redis) => redis.hgetall(key)) : {};

/** Adds a bot to the indexes, unless another is there. Its template is read soon if it was missing. */
export const indexBot = (redis: RedisClient, fields: Fields): Promise<unknown>[] => {
  const { id = '', slug = '', template_id = '', missed_at = '0' } = fields;
  const place = missingTemplate(new Map(Object.entries(fields)));
  return [
    redis.hsetnx(keys.slugs, slug, id),
    redis.hsetnx(keys.templates, template_id, slug),
    ...(place === undefined ? [] : [redis.zadd(keys[place], 'NX', missed_at, id)]),
  ];
};

/** Adds a post to the index, unless another is there. */
export const indexPost = (redis: RedisClient, { id = '', status_id = '' }: Fields): Promise<unknown>[] => [
  redis.hsetnx(keys.statuses, status_id, id),
];

/** The fields of a removed bot or post that should not be there. */
export const textsOfRemoved = (fields: Fields): string[] => {
  if (fields.state !== 'removed') return [];
  const kept: readonly string[] = keptOfRemoved[fields.id?.startsWith('post_') ? 'post' : 'bot'];
  return Object.keys(fields).filter((name) => !kept.includes(name));
};

/** Where a webhook's id is, in addition to its target. */
export const placesOf = (partition: Partition) => {
  const { taken, failures, skipped, attempts, secrets, subscriptions, asleep, registrants } = partition;
  const queues = [partition, ownQueue(partition)];
  return [
    ...[taken, failures, skipped, attempts, secrets, subscriptions, registrants].map(
      (key) => ({ key, type: 'hash' }) as const,
    ),
    ...queues.map(({ stopped }) => ({ key: stopped, type: 'set' }) as const),
    ...queues
      .flatMap(({ cursor, yielded, leased, waiting }) => [cursor, yielded, leased, waiting])
      .map((key) => ({ key, type: 'zset' }) as const),
    { key: asleep, type: 'zset' },
  ] as const;
};

/** A webhook's subscription under its topics, as members of `topics`. */
export const topicMembers = (id: string, own: Subscription): string[] =>
  topicsOf(own).map((topic) => `${topic}\n${id}`);

/** Adds a webhook under the topics of its subscription. */
export const addTopics = (
  redis: RedisClient,
  topics: string,
  { id, own }: { readonly id: string; readonly own: Subscription },
): Promise<unknown> => redis.zadd(topics, ...topicMembers(id, own).flatMap((member) => [0, member]));

/** Whether a member of `topics` is one of its webhook's. */
export const isTopicOf = async (store: Store, subscriptions: string, member: string): Promise<boolean> => {
  const [topic = '', id = ''] = member.split('\n');
  const subscription = await store.call((redis) => redis.hget(subscriptions, id));
  return subscription?.split('\n').slice(1).includes(topic) === true;
};

/** The host whose limit a webhook counts towards. */
export const hostOf = (url: string): string => new URL(url).hostname;

/** Returns the clients that registered webhooks, as far as they are known. */
export const clientsOf = async (
  store: Store,
  { registrants }: Partition,
  webhooks: readonly (readonly [string, string])[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = webhooks.map(([id]) => id);
  const clients = ids.length === 0 ? [] : await store.call((redis) => redis.hmget(registrants, ...ids));
  return new Map(ids.flatMap((id, i) => (clients[i] ? [[id, clients[i]] as const] : [])));
};

/** The names under which `hosts` counts a webhook. */
export const countedNames = (url: string, client?: string): readonly string[] =>
  sharesOf({ url: url as WebhookUrl, host: hostOf(url) }, client).map(({ name }) => name);

/** Counts webhooks as their limits do. */
export const countWebhooks = () => {
  const perHost = new Map<string, number>();
  const perDomain = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const add = (url: string, client: string | undefined): void => {
    for (const name of countedNames(url, client)) count(perHost, name);
    count(perDomain, registrableDomain(hostOf(url)));
  };
  return { perHost, perDomain, add };
};
