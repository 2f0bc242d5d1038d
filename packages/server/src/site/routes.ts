/** The routes of what can be read: path → text. */
import type { Asset } from '@bot-directory/site';
import { botBadge, botPage } from './bot-page.ts';
import { directoryPage } from './directory-page.ts';
import { fixedPages } from './fixed-pages.ts';
import { integrationsPage } from './integrations-page.ts';
import { machineFiles } from './machine-files.ts';
import type { PageRoute } from './page-read.ts';
import { showcasePage } from './showcase-page.ts';
import type { Site } from './site.ts';
import { webhooksPage } from './webhooks-page.ts';

/** The paths of pages, with `:name` where they vary, for 404, 405 and `Allow`. */
export const sitePages: readonly (readonly [method: 'GET' | 'POST', path: string])[] = [
  ['GET', '/'],
  ['GET', '/integrations'],
  ['GET', '/feed'],
  ['POST', '/feed'],
  ['GET', '/submit'],
  ['POST', '/submit'],
  ['GET', '/webhooks'],
  ['POST', '/webhooks'],
  ['GET', '/docs'],
  ['GET', '/about'],
  ['GET', '/problems/:code'],
  ['GET', '/bots/:slug'],
  ['GET', '/bots/:slug/badge.svg'],
  ['POST', '/bots/:slug/install'],
  ['POST', '/bots/:slug/reports'],
  ['GET', '/bots.atom'],
  ['GET', '/bots.json'],
  ['GET', '/sitemap.xml'],
  ['GET', '/sitemaps/:number.xml'],
  ['GET', '/robots.txt'],
  ['GET', '/opensearch.xml'],
  ['GET', '/llms.txt'],
  ['GET', '/og.png'],
  ['GET', '/favicon.ico'],
  ['GET', '/assets/:file'],
];

/** A bot's page or badge. Slugs are lower case; another spelling is redirected. */
const ofBot = /^\/bots\/([^/A-Z]+)(\/badge\.svg)?$/;

/** Every route of the site that is read. */
export const siteRoutes = (site: Site, files: readonly Asset[]): PageRoute => {
  const fixed = fixedPages(site);
  const machines = machineFiles(site, files);
  return (path, search) => {
    switch (path) {
      case '/':
        return directoryPage(site, search);
      case '/feed':
        return showcasePage(site, search);
      case '/webhooks':
        return webhooksPage(site);
      case '/integrations':
        return integrationsPage(site);
    }
    const [, slug, isBadge] = ofBot.exec(path) ?? [];
    if (slug !== undefined) return isBadge === undefined ? botPage(site, slug) : botBadge(site, slug);
    return fixed(path, search) ?? machines(path, search);
  };
};
