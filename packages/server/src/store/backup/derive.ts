/** What is derived from records: the indexes that find a bot by its slug or template, and a post by its status. */
import { registrableDomain } from '../../domain/registrable-domain.ts';
import { keys } from '../keys.ts';
import type { RedisClient } from '../redis.ts';

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

/** Adds a bot to the indexes, unless another is there. */
export const indexBot = (redis: RedisClient, { id = '', slug = '', template_id = '' }: Fields): Promise<unknown>[] => [
  redis.hsetnx(keys.slugs, slug, id),
  redis.hsetnx(keys.templates, template_id, slug),
];

/** Adds a post to the index, unless another is there. */
export const indexPost = (redis: RedisClient, { id = '', status_id = '' }: Fields): Promise<unknown>[] => [
  redis.hsetnx(keys.statuses, status_id, id),
];
