/** What `check`, `rebuild` and `import` share: findings, the places where a webhook stands, and the derived indexes. */
import { missingTemplate } from '../../domain/bot.ts';
import { topicsOf, type Interest } from '../../domain/interest.ts';
import { registrableDomain } from '../../domain/webhook-url.ts';
import { keys, ownQueue, type Partition } from '../keys.ts';
import type { RedisClient, Store } from '../redis.ts';

/** A violated invariant. `derived`: `rebuild` repairs it. */
export type Finding = { readonly what: string; readonly derived: boolean };

/** The types of keys, by key. */
export type Types = Readonly<Record<string, 'hash' | 'zset' | 'set' | 'stream' | 'string'>>;

export const wrong = (what: string): Finding => ({ what, derived: false });
export const derivable = (what: string): Finding => ({ what, derived: true });

/** What is not as it should be, for every item of a page, all of which are read at once. */
export async function* ofEach<Item>(
  pages: AsyncIterable<readonly Item[]>,
  look: (item: Item) => Promise<readonly Finding[]>,
): AsyncGenerator<Finding> {
  for await (const page of pages) for (const found of await Promise.all(page.map(look))) yield* found;
}

/** The fields of a hash; none if there is something else under its key. */
export const hashAt = async (store: Store, key: string): Promise<Record<string, string>> =>
  (await store.call((redis) => redis.type(key))) === 'hash' ? store.call((redis) => redis.hgetall(key)) : {};

/** Where a webhook's id is, in addition to its target. */
export const placesOf = (partition: Partition) => {
  const { taken, failures, skipped, secrets, interests, asleep } = partition;
  const queues = [partition, ownQueue(partition)];
  return [
    ...[taken, failures, skipped, secrets, interests].map((key) => ({ key, type: 'hash' }) as const),
    ...queues.map(({ stopped }) => ({ key: stopped, type: 'set' }) as const),
    ...queues
      .flatMap(({ cursor, yielded, leased, waiting }) => [cursor, yielded, leased, waiting])
      .map((key) => ({ key, type: 'zset' }) as const),
    { key: asleep, type: 'zset' },
  ] as const;
};

/** A webhook's interest under its topics, as members of `topics`. */
export const topicMembers = (id: string, own: Interest): string[] => topicsOf(own).map((topic) => `${topic}\n${id}`);

/** Adds a webhook under the topics of its interest. */
export const addTopics = (
  redis: RedisClient,
  topics: string,
  { id, own }: { readonly id: string; readonly own: Interest },
): Promise<unknown> => redis.zadd(topics, ...topicMembers(id, own).flatMap((member) => [0, member]));

type Fields = Readonly<Record<string, string>>;

/** The host whose limit a webhook counts towards. */
export const hostOf = (url: string): string => new URL(url).hostname;

/** Counts webhooks by host and by domain, as their limits do. */
export const countWebhooks = () => {
  const [perHost, perDomain] = [new Map<string, number>(), new Map<string, number>()];
  const add = (url: string): void => {
    const host = hostOf(url);
    const domain = registrableDomain(host);
    perHost.set(host, (perHost.get(host) ?? 0) + 1);
    perDomain.set(domain, (perDomain.get(domain) ?? 0) + 1);
  };
  return { perHost, perDomain, add };
};

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
