/** Makes every URL on a page that contains data. Nothing else may, because JSX lets `javascript:` through. */
import type { BotSort } from '@bot-directory/contract';
import { addressOf, parametersOf, type QueryValues } from '@bot-directory/contract/address';
import type { BotForm, DirectoryQuery } from '../views.ts';

/** No filters: all bots, newest first. */
export const everything: DirectoryQuery = {
  q: '',
  categories: [],
  integrations: [],
  author: undefined,
  updatedSince: undefined,
  sort: 'newest',
};

/** The values of a query at an address where `usual` is the order without `sort`. */
const valuesOf = (query: DirectoryQuery, usual: BotSort): QueryValues => ({
  q: query.q,
  category: query.categories,
  integration: query.integrations,
  author: query.author,
  updated_since: query.updatedSince,
  sort: query.sort === usual ? undefined : query.sort,
});

/** The order of a results page without `sort`: a search puts the best match first. */
const usualSort = ({ q }: DirectoryQuery): BotSort => (q === '' ? 'newest' : 'relevance');

/** Lists the hidden fields of a form that searches within a query for other words. The order of a search is kept. */
export const fieldsOf = (query: DirectoryQuery): [name: string, value: string][] =>
  parametersOf({ ...valuesOf(query, query.q === '' ? query.sort : 'relevance'), q: undefined });

/** Lists the parameters of a results page. */
export const pageParametersOf = (query: DirectoryQuery): [name: string, value: string][] =>
  parametersOf(valuesOf(query, usualSort(query)));

/** Makes the last part of the path of a category's page. */
export const categorySlug = (name: string): string => name.trim().toLowerCase().replaceAll(' ', '-');

/**
 * Returns the page of a query's only filter, if it has one filter and no words; otherwise the home page with all of
 * them.
 */
const resultsOf = (query: DirectoryQuery): { path: string; rest: DirectoryQuery } => {
  const { q, categories, integrations, author } = query;
  const category = categories[0];
  const integration = integrations[0];
  const filters = categories.length + integrations.length + (author === undefined ? 0 : 1);
  const rest = { ...everything, updatedSince: query.updatedSince, sort: query.sort };
  if (q !== '' || filters !== 1) return { path: '/', rest: query };
  if (category !== undefined) return { path: `/categories/${encodeURIComponent(categorySlug(category))}`, rest };
  if (integration !== undefined) return { path: `/integrations/${encodeURIComponent(integration)}`, rest };
  return { path: `/authors/${encodeURIComponent((author ?? '').replace(/^@/, '').toLowerCase())}`, rest };
};

/**
 * Returns what a link to one of our addresses has, with `nofollow` where robots.txt forbids to go: filters, sorts and
 * words combine to more addresses than any crawler should read. Home and the pages of one filter have no parameter but
 * `cursor`, the last of an address.
 */
export const linkTo = (href: string, rel?: 'prev' | 'next'): { rel?: string; href: string } => {
  const all = [...(rel === undefined ? [] : [rel]), ...(/\?(?!cursor=)/.test(href) ? ['nofollow'] : [])];
  return all.length === 0 ? { href } : { rel: all.join(' '), href };
};

/** The paths of the feeds of bots. */
export type FeedPath = '/bots.atom' | '/bots.json';
/** The paths of the feeds of the showcase. */
export type ShowcaseFeedPath = '/feed.atom' | '/feed.json';

const botPath = (slug: string): string => `/bots/${encodeURIComponent(slug)}`;

/** Makers of URLs. Each returns a path of ours, or a URL that is checked to be HTTPS or mail. */
export const to = {
  /** The directory, with filters. A category, an integration and an author have a page of their own. */
  directory: (query: Partial<DirectoryQuery>, cursor?: string): string => {
    const { path, rest } = resultsOf({ ...everything, ...query });
    return addressOf(path, { ...valuesOf(rest, usualSort(rest)), cursor });
  },
  /** The feed of a query. */
  feed: (path: FeedPath, query: DirectoryQuery, cursor?: string): string =>
    addressOf(path, { ...valuesOf(query, 'newest'), cursor }),
  /** The form of a webhook, filled in for the bots that a query selects. An empty format is the envelope as JSON. */
  webhooks: (format: string, { q, categories, integrations, author }: DirectoryQuery): string => {
    const path = addressOf('/webhooks', { q, category: categories, integration: integrations, author });
    const more = format === '' ? '' : `${path.includes('?') ? '&' : '?'}format=${format}`;
    return `${path}${more}#forms`;
  },
  /** A page of the authors. */
  authors: (q: string, cursor?: string): string => addressOf('/authors', { q, cursor }),
  /** A page of the showcase, or of its feed. */
  showcase: (cursor?: string, path: '/feed' | ShowcaseFeedPath = '/feed'): string => addressOf(path, { cursor }),
  bot: (slug: string): string => botPath(slug),
  install: (slug: string): string => `${botPath(slug)}/install`,
  /** Where a form of a bot's page is sent. After a refusal, the browser shows the page from that form on. */
  botForm: (slug: string, form: BotForm): string => `${botPath(slug)}/${form}#${form}`,
  /** A bot's picture for previews of links. */
  picture: (slug: string): string => `${botPath(slug)}/og.png`,
  apiBot: (slug: string): string => `/api${botPath(slug)}`,
  problem: (code: string): string => `/problems/${encodeURIComponent(code)}`,
  /** An author's profile on the social platform. */
  profile: (host: string, author: string): string => `https://${host}/${encodeURIComponent(author.replace(/^@/, ''))}`,
  /** An element on this page. */
  id: (id: string): string => `#${encodeURIComponent(id)}`,
  /** A file of ours. */
  asset: (path: string): string => (/^\/assets\/[\w.-]+$/.test(path) ? path : '#'),
  /** An absolute URL of ours. */
  absolute: (baseUrl: string, path: string): string => `${baseUrl}${path.startsWith('/') ? path : `/${path}`}`,
  /** A URL elsewhere, or `#` for anything that a browser could run. */
  outside: (url: string): string => (isOutside(url) ? new URL(url).href : '#'),
  /** A path of ours, or a URL elsewhere. */
  anywhere: (address: string): string => (/^\/(?!\/)/.test(address) ? address : to.outside(address)),
  /** The operator's contact. */
  contact: (url: string): string => (isOutside(url) || /^mailto:[^\s?]+$/.test(url) ? url : '#'),
};

/** Returns whether a URL may be linked to. */
export const isOutside = (url: string): boolean => {
  try {
    // Not URL.canParse, which Node 20 and 22 get wrong for letters of Latin-1 once they have optimised the call.
    return new URL(url).protocol === 'https:';
  } catch {
    return false;
  }
};
