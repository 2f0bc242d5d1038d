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
  '/integrations',
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

/**
 * Writes robots.txt. An address with parameters is no page of its own: it is a combination of filters, a sort or a
 * search, of which there are very many. Parts of a list are, since they have only `cursor`. See `linkTo`.
 */
export const robots = ({ baseUrl }: Frame): string =>
  ['User-agent: *', 'Allow: /', 'Disallow: /*?', 'Allow: /*?cursor=', '', `Sitemap: ${baseUrl}/sitemap.xml`, ''].join(
    '\n',
  );
