/** The page about webhooks. */
import { emptyForm, type WebhooksView } from '@bot-directory/site';
import type { PageRead } from './page-read.ts';
import { sendablePage, stateOfBots, type Site } from './site.ts';

/** The page. Its example is the newest bot. */
export const webhooksPage = (site: Site): PageRead => ({
  key: 'webhooks',
  state: () => stateOfBots(site),
  make: () => sendablePage(site, webhooksView(site)),
});

/** Its view, before any form was sent. */
export const webhooksView = (site: Site): WebhooksView => ({
  page: 'webhooks',
  isOpen: site.isOpen,
  sample: site.directory.bots.newest(1)[0],
  ...site.webhook,
  action: undefined,
  form: emptyForm,
  pingFailure: undefined,
  result: undefined,
});
