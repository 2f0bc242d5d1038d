/** Every integration in use, as a page. */
import type { PageRead } from './page-read.ts';
import { sendablePage, stateOfBots, type Site } from './site.ts';

/** The page. */
export const integrationsPage = (site: Site): PageRead => ({
  key: 'integrations',
  state: () => stateOfBots(site),
  make: () => sendablePage(site, { page: 'integrations', integrations: site.directory.bots.index.countIntegrations() }),
});
