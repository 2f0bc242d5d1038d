/** `npm run screenshots`: the main pages in light and dark, on a desktop and on a phone, into docs/screenshots/. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { templates } from '../../../../examples/template-provider/src/templates.js';
import { openContext, settings, startBrowser } from './browser/chromium.ts';
import { startSite } from './directory.ts';

const folder = fileURLToPath(new URL('../../../../docs/screenshots/', import.meta.url));

const pages: Readonly<Record<string, string>> = {
  home: '/',
  search: '/?q=report',
  bot: '/bots/pull-request-reviewer',
  submit: '/submit',
  webhooks: '/webhooks',
  showcase: '/feed',
  api: '/docs',
  about: '/about',
  'not-found': '/bots/weekly-news',
};

const categories = [['SEO'], ['Engineering'], ['Finance'], ['Productivity'], ['Sales', 'Research'], ['Support']];
const authors = ['@ada', '@grace_h', '@linus', '@margaret'];

it('makes them', async () => {
  const site = await startSite({ settings: { SITE_NAME: 'Bot Directory' } });
  const browser = await startBrowser(site.hosts);
  for (const [i, { id, name, description, connectors = ['Slack'] }] of templates.toReversed().entries()) {
    site.provider.template({ name, description, connectors }, id);
    await site.post('/api/bots/submit', {
      link: site.link(id),
      author: authors[i % authors.length],
      categories: categories[(templates.length - 1 - i) % categories.length],
      source_url: `https://x.com/ada/status/17${i}`,
    });
    await site.post('/api/feed', { url: `https://x.com/${authors[i % 4]?.slice(1)}/status/17${i}` });
  }
  mkdirSync(folder, { recursive: true });
  for (const { name, ...setting } of settings) {
    const context = await openContext(browser, setting);
    for (const [file, path] of Object.entries(pages)) {
      const page = await context.newPage();
      await page.goto(`${site.url}${path}`);
      await page.screenshot({ path: `${folder}${file}-${name.replace(', ', '-')}.png` });
      await page.close();
    }
    await context.close();
  }
  await browser.close();
  await site.stop();
});
