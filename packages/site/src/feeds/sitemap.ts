/** Sitemaps for search engines: pages and bots, in files of 50,000 URLs. */
import type { Frame } from '../views.ts';
import { xml } from './xml.ts';

/** A URL and when it last changed (ISO 8601). */
export type SitemapEntry = { readonly path: string; readonly changedAt: string | undefined };

/** The most URLs in one file. */
export const sitemapSize = 50_000;

/** Pages that always exist. */
export const sitePaths: readonly string[] = [
  '/',
  '/categories',
  '/integrations',
  '/authors',
  '/feed',
  '/submit',
  '/webhooks',
  '/docs',
  '/docs/subscribing',
  '/about',
  '/corrections',
];

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** Writes a file of URLs. */
export const sitemap = ({ baseUrl }: Frame, entries: readonly SitemapEntry[]): string =>
  `${head}<urlset ${namespace}>\n${entries
    .map(
      ({ path, changedAt }) =>
        `<url><loc>${xml(`${baseUrl}${path}`)}</loc>${changedAt === undefined ? '' : `<lastmod>${changedAt}</lastmod>`}</url>`,
    )
    .join('\n')}\n</urlset>\n`;

/** Writes the index of this many files, numbered from 1. */
export const sitemapIndex = ({ baseUrl }: Frame, files: number): string =>
  `${head}<sitemapindex ${namespace}>\n${Array.from(
    { length: files },
    (_, i) => `<sitemap><loc>${xml(`${baseUrl}/sitemaps/${i + 1}.xml`)}</loc></sitemap>`,
  ).join('\n')}\n</sitemapindex>\n`;

const filters = ['category', 'integration', 'author'];
const kinds = ['/categories/*', '/integrations/*', '/authors/*'];

/** Patterns of an address whose query has a parameter, at the beginning or later. */
const withParameter = (path: string, name: string): string[] => [`${path}?${name}=`, `${path}?*&${name}=`];

/**
 * Writes robots.txt. It closes what multiplies: on pages of results, a search, a sort, an instant and a second filter,
 * of which there are very many combinations. What others add to an address closes nothing. See `linkTo`.
 */
export const robots = ({ baseUrl }: Frame): string => {
  const closed = [
    ...['/', '/authors', ...kinds].flatMap((path) =>
      ['q', 'sort', 'updated_since'].flatMap((name) => withParameter(path, name)),
    ),
    ...kinds.flatMap((path) => filters.flatMap((name) => withParameter(path, name))),
    ...filters.flatMap((one) =>
      withParameter('/', one).flatMap((first) => filters.map((name) => `${first}*&${name}=`)),
    ),
  ];
  return ['User-agent: *', 'Allow: /', ...closed.map((path) => `Disallow: ${path}`), '']
    .concat(`Sitemap: ${baseUrl}/sitemap.xml`, '')
    .join('\n');
};
