/** Makes every URL on a page that contains data. Nothing else may, because JSX lets `javascript:` through. */
import type { DirectoryQuery } from '../views.ts';

/** No filters: all bots, newest first. */
export const everything: DirectoryQuery = {
  q: '',
  categories: [],
  integrations: [],
  author: undefined,
  sort: 'newest',
};

/** The parameters of a query, in one order. */
export const parametersOf = (query: DirectoryQuery): [name: string, value: string][] => [
  ...(query.q === '' ? [] : [['q', query.q] as [string, string]]),
  ...query.categories.map((name): [string, string] => ['category', name]),
  ...query.integrations.map((slug): [string, string] => ['integration', slug]),
  ...(query.author === undefined ? [] : [['author', query.author] as [string, string]]),
  ...(query.sort === 'newest' ? [] : [['sort', query.sort] as [string, string]]),
];

const withParameters = (path: string, parameters: readonly [string, string][]): string =>
  parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters.map(([...pair]) => pair)).toString()}`;

const botPath = (slug: string): string => `/bots/${encodeURIComponent(slug)}`;

/** Makers of URLs. Each returns a path of ours, or a URL that is checked to be HTTPS or mail. */
export const to = {
  /** The directory, with filters. */
  directory: (query: Partial<DirectoryQuery>, cursor?: string): string =>
    withParameters('/', [
      ...parametersOf({ ...everything, ...query }),
      ...(cursor === undefined ? [] : [['cursor', cursor] as [string, string]]),
    ]),
  showcase: (cursor: string): string => withParameters('/feed', [['cursor', cursor]]),
  bot: (slug: string): string => botPath(slug),
  install: (slug: string): string => `${botPath(slug)}/install`,
  reports: (slug: string): string => `${botPath(slug)}/reports`,
  apiBot: (slug: string): string => `/api${botPath(slug)}`,
  problem: (code: string): string => `/problems/${encodeURIComponent(code)}`,
  /** An element on this page. */
  id: (id: string): string => `#${encodeURIComponent(id)}`,
  /** A file of ours. */
  asset: (path: string): string => (/^\/assets\/[\w.-]+$/.test(path) ? path : '#'),
  /** An absolute URL of ours. */
  absolute: (baseUrl: string, path: string): string => `${baseUrl}${path.startsWith('/') ? path : `/${path}`}`,
  /** A URL elsewhere. Anything that a browser could run leads nowhere. */
  outside: (url: string): string => (isOutside(url) ? new URL(url).href : '#'),
  /** The operator's contact. */
  contact: (url: string): string => (isOutside(url) || /^mailto:[^\s?]+$/.test(url) ? url : '#'),
};

/** Whether a URL may be linked to. */
export const isOutside = (url: string): boolean => {
  try {
    // Not URL.canParse, which Node 20 and 22 get wrong for letters of Latin-1 once they have optimised the call.
    return new URL(url).protocol === 'https:';
  } catch {
    return false;
  }
};
