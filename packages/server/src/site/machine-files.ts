/**
 * What programs read: feeds, sitemaps, robots.txt, OpenSearch, llms.txt, server.json, well-known files, and the
 * pictures that have fixed addresses.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import { contractVersion } from '@bot-directory/contract';
import {
  apiCatalog,
  atom,
  botFeed,
  jsonFeed,
  llms,
  mcpServer,
  openSearch,
  robots,
  securityTxt,
  sitemap,
  sitemapIndex,
  sitemapSize,
  sitePaths,
  to,
  webManifest,
  type AssetName,
  type Feed,
  type FeedPath,
  type Frame,
  type SitemapEntry,
} from '@bot-directory/site';
import type { RequestHandler } from 'express';
import { systemClock, timestamp } from '../base/time.ts';
import { botPath } from '../domain/bot.ts';
import { nothingHere, setAll, type Sendable } from '../http/problems.ts';
import { routeTo, type ResourceRoute } from '../reads/resource.ts';
import { askedByFeed } from './asked-bots.ts';
import { foundChanged } from './directory-page.ts';
import { atomType, fileHeaders, jsonFeedType, type Site } from './site.ts';

const feedSize = 50;
/** How many bots are processed before others get their turn. */
const sliceSize = 1_000;

const xmlType = 'application/xml; charset=utf-8';
const textType = 'text/plain; charset=utf-8';

const feed = (path: FeedPath, type: string, write: (frame: Frame, feed: Feed) => string): ResourceRoute<Site> => ({
  path,
  find: (site, { search }) => {
    const asked = askedByFeed(site, search, feedSize);
    const { listing, query, cursor } = asked;
    return {
      query: [listing, query.q],
      freshness: { of: 'directory', state: () => site.directory.bots.stateInOrder(listing.sort) },
      make: async () => {
        const found = await foundChanged(site, asked);
        return sharedFile(type, write(site.frame, botFeed(site.frame, { ...found, query, cursor }, path)));
      },
    };
  },
});

const text = (path: string, contentType: string, write: (of: Frame) => string): ResourceRoute<Site> =>
  routeTo(path, (site) => sharedFile(contentType, write(site.frame)));

const catalogPath = '/.well-known/api-catalog';

/** RFC 9727; its responses carry a link to itself. */
const catalog = routeTo(catalogPath, ({ frame }: Site) => {
  const { headers, ...file } = sharedFile(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    apiCatalog(frame),
  );
  return { ...file, headers: [...headers, 'Link', `<${frame.baseUrl}${catalogPath}>; rel="api-catalog"`] };
});

const picture = (path: string, name: AssetName): ResourceRoute<Site> =>
  routeTo(path, (site) => {
    const { body, type } = site.files.find((asset) => asset.name === name) ?? { body: '', type: textType };
    return sharedFile(type, body);
  });

/** Pages and bots in one file; if there are too many, the index of several files. */
const wholeSitemap = routeTo(
  '/sitemap.xml',
  async (site: Site) => {
    const files = sitemapFiles(site);
    const xml = files === 1 ? sitemap(site.frame, await entriesOf(site, 0)) : sitemapIndex(site.frame, files);
    return sharedFile(xmlType, xml);
  },
  (site) => site.directory.bots,
);

/** One of several files, oldest bots first: the content of all but the last stays the same. Failure: not_found. */
const numberedSitemap: ResourceRoute<Site> = {
  path: '/sitemaps/:number.xml',
  find: (site, { params: { number = '' } }) => {
    if (!/^[1-9]\d{0,3}$/.test(number)) return undefined;
    return {
      query: number,
      freshness: {
        of: 'directory',
        state: () => {
          if (Number(number) > sitemapFiles(site)) throw nothingHere();
          return site.directory.bots;
        },
      },
      make: async () => sharedFile(xmlType, sitemap(site.frame, await entriesOf(site, Number(number) - 1))),
    };
  },
};

/** All these files. */
export const machineFiles: readonly ResourceRoute<Site>[] = [
  feed('/bots.atom', atomType, atom),
  feed('/bots.json', jsonFeedType, jsonFeed),
  wholeSitemap,
  numberedSitemap,
  text('/robots.txt', textType, robots),
  text('/llms.txt', textType, llms),
  text('/server.json', 'application/json; charset=utf-8', (frame) => mcpServer(frame, contractVersion)),
  text('/opensearch.xml', 'application/opensearchdescription+xml', openSearch),
  text('/manifest.webmanifest', 'application/manifest+json', webManifest),
  catalog,
  picture('/og.png', 'og.png'),
  picture('/favicon.ico', 'favicon.ico'),
  picture('/apple-touch-icon.png', 'apple-touch-icon.png'),
];

/** Where `securityFile` is served. */
export const securityPath = '/.well-known/security.txt';
const securityDays = 30;

/** RFC 9116, if the operator has named a contact. It is not a read, since it changes with time. */
export const securityFile =
  ({ securityContact: contact, frame: { baseUrl } }: Site): RequestHandler =>
  (_req, res, next) => {
    if (contact === undefined) {
      next();
      return;
    }
    const expiresAt = timestamp(systemClock() + securityDays * 86_400_000);
    const { body, contentType, headers } = sharedFile(textType, securityTxt({ contact, baseUrl, expiresAt }));
    setAll(res, headers);
    res.setHeader('Content-Type', contentType);
    res.send(Buffer.from(body));
  };

const sharedFile = (contentType: string, body: string | Uint8Array): Sendable => ({
  body,
  contentType,
  headers: fileHeaders({ isShared: true }),
});

/** The pages of categories, integrations and authors that have bots. */
const landingPaths = ({ directory: { bots }, categories }: Site): string[] => [
  ...bots.index
    .countCategories(categories)
    .flatMap(({ name, count }) => (count > 0 ? [to.directory({ categories: [name] })] : [])),
  ...bots.index.countIntegrations().map(({ slug }) => to.directory({ integrations: [slug] })),
  ...bots.index.authors().map((author) => to.directory({ author })),
];

const sitemapFiles = (site: Site): number =>
  Math.ceil((site.directory.bots.size + sitePaths.length + landingPaths(site).length) / sitemapSize);

/** Fixed pages, then bots, oldest first, then the pages of filters: what grows comes last. */
const entriesOf = async (site: Site, file: number): Promise<SitemapEntry[]> => {
  const { bots } = site.directory;
  const unchanging = (path: string): SitemapEntry => ({ path, changedAt: undefined });
  const all = [...sitePaths, ...bots.ordinals().reverse(), ...landingPaths(site)];
  const entries: SitemapEntry[] = [];
  for (const one of all.slice(file * sitemapSize, (file + 1) * sitemapSize)) {
    if (entries.length % sliceSize === sliceSize - 1) await immediately();
    if (typeof one === 'string') entries.push(unchanging(one));
    else
      entries.push({
        path: botPath(bots.bot(one).slug),
        changedAt: timestamp(bots.stateOf(one).changedAtMs),
      });
  }
  return entries;
};
