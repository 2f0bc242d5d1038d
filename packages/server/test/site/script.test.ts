/** What the script adds: live search, the note of new bots, copying, the theme. And what all of it weighs. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { itInBrowser, layoutOf, openContext, startBrowser, watch } from './support/browser.ts';
import { startSite, type SiteUnderTest } from './support/directory.ts';
import { until } from '../support/until.ts';

let site: SiteUnderTest;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let wrong: string[];
beforeAll(async () => {
  site = await startSite();
  browser = await startBrowser(site.hosts);
  for (let i = 0; i < 30; i += 1) await site.publish(`Report ${i}`, { categories: ['SEO'], integrations: ['slack'] });
  await site.publish('Invoice Chaser');
});
afterAll(() => Promise.all([site.stop(), browser.close()]));
beforeEach(async () => {
  context = await openContext(browser);
  page = await context.newPage();
  wrong = watch(page, site.url);
  await page.goto(site.url);
});
afterEach(async () => {
  await context.close();
  expect(wrong).toEqual([]);
});

itInBrowser('searches while one types, in place, and keeps the address right', async () => {
  const box = page.getByRole('searchbox', { name: 'Search bots' });
  await page.evaluate(`window.before = document`);
  await box.pressSequentially('invoice');
  await page.getByRole('heading', { name: 'Results for “invoice”' }).waitFor();
  expect(await page.locator('.card').count()).toBe(1);
  expect(new URL(page.url()).search).toBe('?q=invoice');
  expect(await page.evaluate(`window.before === document && document.activeElement.id`)).toBe('q');
  expect(await page.locator('[data-status]').textContent()).toBe('1 bot');
  expect((await layoutOf(page)).moved).toEqual([]);
  await box.fill('');
  await page.getByRole('heading', { name: 'Newest bots' }).waitFor();
  expect(page.url()).toBe(`${site.url}/`);
  await box.fill('report 7');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/?q=report+7');
});

itInBrowser('waits for the end of a composition', async () => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('?q=')) asked.push(request.url());
  });
  await page.evaluate(`(() => {
    const box = document.querySelector('#q');
    box.value = 'れ';
    box.dispatchEvent(new InputEvent('input', { isComposing: true, bubbles: true }));
  })()`);
  await page.waitForTimeout(400);
  expect(asked).toEqual([]);
  await page.evaluate(`document.querySelector('#q').dispatchEvent(new CompositionEvent('compositionend'))`);
  await page.getByText(/^No bot matches/).waitFor();
});

itInBrowser('becomes an ordinary navigation when the search fails', async () => {
  await context.route('**/?q=x*', (route, request) =>
    request.isNavigationRequest() ? route.continue() : route.abort(),
  );
  await page.getByRole('searchbox').fill('xyz');
  await page.waitForURL('**/?q=xyz');
  await page.getByText(/^No bot matches/).waitFor();
  wrong.length = 0;
});

itInBrowser('tells every tab of new bots over one stream, hands it over, and moves nothing', async () => {
  await page.goto('about:blank');
  let streams = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/api/events/stream')) streams += 1;
  });
  await page.goto(site.url);
  await until('the stream is open', () => streams === 1);
  const others = await Promise.all([1, 2].map(() => context.newPage()));
  await Promise.all(others.map((other) => other.goto(site.url)));
  const noted = (name: string) =>
    until(
      `a note in ${name}`,
      async () => (await page.locator('[data-news]').textContent())?.includes('new bot') === true,
    );
  // The stream starts at the present, which may come after the page.
  await until('the first note', async () => {
    await site.publish('Brand new');
    await page.waitForTimeout(100);
    return (await page.locator('[data-news]').textContent()) !== '';
  });
  await noted('the tab that holds the stream');
  for (const other of others) await other.getByRole('link', { name: /new bots?: show/ }).waitFor();
  expect(streams).toBe(1);
  expect((await layoutOf(page)).moved).toEqual([]);
  await page.close();
  await until('another tab holds the stream', () => streams === 2);
  await until('it is told', async () => {
    const before = await others[0]?.locator('[data-news]').textContent();
    await site.publish('Brand newer');
    await others[0]?.waitForTimeout(100);
    return (await others[0]?.locator('[data-news]').textContent()) !== before;
  });
  await others[0]?.getByRole('link', { name: /new bots: show them/ }).click();
  await others[0]?.getByRole('link', { name: 'Brand newer', exact: true }).first().waitFor();
});

itInBrowser('opens ten tabs at once', async () => {
  const tabs = await Promise.all(Array.from({ length: 10 }, () => context.newPage()));
  await Promise.all(tabs.map((tab) => tab.goto(site.url)));
  for (const tab of tabs) expect(await tab.locator('.card').count()).toBe(24);
});

itInBrowser('copies, and says so', async () => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
  await page.goto(`${site.url}/bots/invoice-chaser`);
  await page.getByRole('button', { name: 'Copy: Link' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(`navigator.clipboard.readText()`)).toBe(`${site.url}/bots/invoice-chaser`);
  await page.getByRole('button', { name: 'Copy: Link' }).waitFor();
});

itInBrowser('keeps the theme that was chosen, from before the first paint', async () => {
  const paper = () => page.evaluate(`getComputedStyle(document.documentElement).backgroundColor`);
  const button = page.getByRole('button', { name: 'Theme: system' });
  expect(await paper()).toBe('rgb(251, 250, 247)');
  await button.click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  expect(await paper()).toBe('rgb(19, 21, 18)');
  // The colour at the time when the body begins, and so before anything was painted.
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (!document.body) return;
    window.first = document.documentElement.dataset.theme;
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true })`);
  await page.reload();
  expect(await page.evaluate(`window.first`)).toBe('dark');
  expect(await paper()).toBe('rgb(19, 21, 18)');
});

itInBrowser('needs four requests for the first view, and one for the next', async () => {
  const fresh = await openContext(browser);
  const tab = await fresh.newPage();
  const session = await fresh.newCDPSession(tab);
  await session.send('Network.enable');
  const asked: string[] = [];
  let bytes = 0;
  const cached = new Set<string>();
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (!response.fromDiskCache && !cached.has(requestId)) asked.push(new URL(response.url).pathname);
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  // Compressed forms are made when they are first asked for.
  await fetch(site.url, { headers: { 'Accept-Encoding': 'br' } });
  await until(
    'the page is compressed',
    async () =>
      (await fetch(site.url, { headers: { 'Accept-Encoding': 'br' } })).headers.get('content-encoding') === 'br',
  );
  await tab.goto(site.url, { waitUntil: 'load' });
  await tab.waitForTimeout(200);
  const files = asked.filter((path) => path !== '/api/events/stream');
  expect([files.length, files]).toEqual([4, files]);
  expect(bytes).toBeLessThanOrEqual(20 * 1_024);
  asked.length = 0;
  await tab.getByRole('link', { name: 'Webhooks' }).click();
  await tab.getByRole('heading', { name: 'Be told of every new bot' }).waitFor();
  await tab.waitForTimeout(200);
  expect(asked).toEqual(['/webhooks']);
  await fresh.close();
});
