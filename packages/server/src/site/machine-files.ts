/**
 * What programs read: feeds, sitemaps, robots.txt, OpenSearch, llms.txt, and the pictures that have fixed addresses.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import {
  atom,
  jsonFeed,
  llms,
  openSearch,
  robots,
  sitemap,
  sitemapIndex,
  sitemapSize,
  sitePaths,
  type Asset,
  type AssetName,
  type FeedView,
  type Frame,
  type SitemapEntry,
} from '@bot-directory/site';
import { timestamp } from '../base/clock.ts';
import { botPath } from '../domain/bot.ts';
import { parseBotQuery } from '../domain/listing.ts';
import { eachBitDown } from '../domain/ordinals.ts';
import { botsOf } from './directory-page.ts';
import { nothingHere, refusedQuery } from './failures.ts';
import { fileHeaders } from './headers.ts';
import type { PageRead, PageRoute, Sendable } from './page-read.ts';
import { stateOfBots, type Site } from './site.ts';

const feedSize = 50;
/** How many bots are processed before others get their turn. */
const sliceSize = 1_000;

const xmlType = 'application/xml; charset=utf-8';
const textType = 'text/plain; charset=utf-8';

/** All these files. */
export const machineFiles = (site: Site, files: readonly Asset[]): PageRoute => {
  const fixed = fixedFiles(site, files);
  return (path, search) => {
    if (path === '/bots.atom') return feed(site, search, { type: 'application/atom+xml; charset=utf-8', write: atom });
    if (path === '/bots.json')
      return feed(site, search, { type: 'application/feed+json; charset=utf-8', write: jsonFeed });
    if (path === '/sitemap.xml') return wholeSitemap(site);
    const [, number] = /^\/sitemaps\/([1-9]\d{0,3})\.xml$/.exec(path) ?? [];
    return number === undefined ? fixed.get(path) : numberedSitemap(site, Number(number));
  };
};

const fixedFiles = ({ frame }: Site, files: readonly Asset[]): ReadonlyMap<string, PageRead> => {
  const text = (contentType: string, write: (of: Frame) => string) => (): Sendable => ({
    body: write(frame),
    contentType,
    headers: fileHeaders(frame, { isShared: true }),
  });
  const picture = (name: AssetName) => (): Sendable => {
    const { body, type } = files.find((asset) => asset.name === name) ?? { body: '', type: textType };
    return { body, contentType: type, headers: fileHeaders(frame, { isShared: true }) };
  };
  const makes: Readonly<Record<string, () => Sendable>> = {
    '/robots.txt': text(textType, robots),
    '/llms.txt': text(textType, llms),
    '/opensearch.xml': text('application/opensearchdescription+xml', openSearch),
    '/og.png': picture('og.png'),
    '/favicon.ico': picture('favicon.ico'),
  };
  return new Map(Object.entries(makes).map(([path, make]) => [path, { key: path, state: undefined, make }]));
};

type FeedFormat = { readonly type: string; readonly write: (frame: Frame, view: FeedView) => string };

const feed = (site: Site, search: string, { type, write }: FeedFormat): PageRead => {
  const params = new URLSearchParams(search);
  const asked = [...params].filter(([name]) => name === 'category' || name === 'cursor');
  const result = parseBotQuery(new URLSearchParams(asked), site.categories);
  if (!result.ok) throw refusedQuery(result.errors);
  const listing = { ...result.value, limit: feedSize };
  return {
    key: `feed ${type} ${JSON.stringify(listing)}`,
    state: () => stateOfBots(site),
    make: async () => {
      const selected = await site.directory.bots.select(listing);
      const cursor = params.get('cursor') ?? undefined;
      const view = { bots: botsOf(selected), category: listing.categories[0], cursor, next: selected.next };
      return {
        body: write(site.frame, view),
        contentType: type,
        headers: fileHeaders(site.frame, { isShared: true }),
      };
    },
  };
};

const xmlFile = (site: Site, key: string, write: () => Promise<string>): PageRead => ({
  key,
  state: () => stateOfBots(site),
  make: async () => ({
    body: await write(),
    contentType: xmlType,
    headers: fileHeaders(site.frame, { isShared: true }),
  }),
});

/** Pages and bots in one file; if there are too many, the index of several files. */
const wholeSitemap = (site: Site): PageRead =>
  xmlFile(site, 'sitemap', async () => {
    const files = sitemapFiles(site);
    return files === 1 ? sitemap(site.frame, await entriesOf(site, 0)) : sitemapIndex(site.frame, files);
  });

const sitemapFiles = ({ directory }: Site): number => Math.ceil((directory.bots.size + sitePaths.length) / sitemapSize);

/** One of several files, in commit order: the content of all but the last stays the same. Failure: not_found. */
const numberedSitemap = (site: Site, number: number): PageRead => ({
  ...xmlFile(site, `sitemap ${number}`, async () => sitemap(site.frame, await entriesOf(site, number - 1))),
  state: () => {
    if (number > sitemapFiles(site)) throw nothingHere();
    return stateOfBots(site);
  },
});

const entriesOf = async ({ directory: { bots } }: Site, file: number): Promise<SitemapEntry[]> => {
  const pages = sitePaths.map((path): SitemapEntry => ({ path, changedAt: undefined }));
  const entries = file === 0 ? pages : [];
  const from = file === 0 ? 0 : file * sitemapSize - sitePaths.length;
  const ordinals: number[] = [];
  const bits = bots.listed();
  eachBitDown(bits, bits.length * 32, (ordinal) => ordinals.push(ordinal) > 0);
  for (const ordinal of ordinals.reverse().slice(from, from + sitemapSize - entries.length)) {
    if (entries.length % sliceSize === sliceSize - 1) await immediately();
    entries.push({
      path: botPath(bots.bot(ordinal).slug),
      changedAt: timestamp(bots.stateOf(ordinal).changedAtMs),
    });
  }
  return entries;
};
