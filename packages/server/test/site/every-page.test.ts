/** Every page in every setting: nothing for axe, nothing that moves, nothing wider than the window, no word in the console. */
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { axeFindings, itInBrowser, layoutOf, openContext, settings, startBrowser, watch } from './support/browser.ts';
import { startSite, type SiteUnderTest } from './support/directory.ts';

const hostile = '<script>alert(1)</script>"\'&<img src=x onerror=alert(1)> ]]>\u202Egnp.exe';

/** Path → what stands there. The paths of bots are those of their names. */
const pages: Readonly<Record<string, string>> = {
  '/': 'the home page',
  '/?q=report&category=SEO&integration=slack': 'filters in force',
  '/?q=quantum': 'no result',
  '/bots/weekly-report': 'a bot',
  '/bots/none': 'no such bot',
  '/integrations': 'all integrations',
  '/feed': 'the showcase',
  '/submit': 'the submit form',
  '/webhooks': 'webhooks',
  '/docs': 'the API reference',
  '/about': 'about',
  '/problems/invalid_request': 'an error code',
  '/?sort=best': 'a bad parameter',
};

let site: SiteUnderTest;
let browser: Browser;
beforeAll(async () => {
  site = await startSite();
  browser = await startBrowser(site.hosts);
  const template = site.provider.template({ name: 'Weekly Report', description: 'Mails a report. '.repeat(12) });
  await site.post('/api/bots/submit', {
    link: site.link(template),
    categories: ['SEO', 'Marketing'],
    integrations: ['slack', 'gmail', 'zoom', 'a'.repeat(50)],
    author: '@ada',
    source_url: 'https://x.com/ada/status/1',
  });
  for (const name of [hostile, 'W'.repeat(100), '!!!!', 'مرحبا بالعالم', '👨‍👩‍👧‍👦 family'])
    await site.publish(name, { categories: ['SEO'] });
  for (let i = 0; i < 24; i += 1)
    await site.publish(`Report ${i}`, { categories: ['Design'], integrations: ['slack'] });
  await site.post('/api/feed', { url: 'https://x.com/ada/status/1' });
});
afterAll(() => Promise.all([site.stop(), browser.close()]));

describe.each(settings)('$name', (setting) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await openContext(browser, setting);
  });
  afterAll(() => context.close());

  itInBrowser.each(Object.entries(pages))('%s: %s', async (path) => {
    const page = await context.newPage();
    const wrong = watch(page, site.url);
    await page.goto(`${site.url}${path}`);
    // Its own failure is what the console says of a page that is an error.
    const isError = path === '/bots/none' || path === '/?sort=best';
    expect(wrong.filter((text) => !isError || !/status of 4/.test(text))).toEqual([]);
    expect(await layoutOf(page)).toEqual({ moved: [], overflow: 0 });
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });
});

itInBrowser('holds when text is spaced out as WCAG 1.4.12 has it, and in forced colours', async () => {
  const context = await browser.newContext({
    viewport: { width: 320, height: 640 },
    forcedColors: 'active',
    bypassCSP: true,
  });
  const page = await context.newPage();
  for (const path of ['/', '/bots/weekly-report', '/submit', '/webhooks']) {
    await page.goto(`${site.url}${path}`);
    await page.addStyleTag({
      content: '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }',
    });
    expect([path, (await layoutOf(page)).overflow]).toEqual([path, 0]);
    const cut = await page.evaluate(`[...document.querySelectorAll('button, .button, label:not(.hidden), h1, h2')]
      .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow !== 'visible')
      .map((one) => one.outerHTML.slice(0, 80))`);
    expect(cut).toEqual([]);
  }
  await context.close();
});
