/**
 * Every page and every state: nothing for axe, nothing that moves, nothing wider than the window, no complaint. Phones
 * are narrow windows here: one that emulates a phone makes room for what is too wide.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { assets, page as render } from '@bot-directory/site';
import { frameOf } from '../../../src/site/frame.ts';
import { pageHeaders } from '../../../src/site/headers.ts';
import { views } from '../../../../site/test/views.ts';
import { axeFindings, itInBrowser, layoutOf, startShifts } from './chromium.ts';
import { sharedWindow, type BrowserTest, type World } from './world.ts';

/** As they are served. Path → what stands there. */
const pages: Readonly<Record<string, string>> = {
  '/': 'the home page',
  '/?q=report&category=Design&integration=slack': 'filters in force',
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

/** The states of all pages, at `/<number>`, with the styles and the policy of the server. */
const startStates = async (): Promise<Server> => {
  const baseUrl = 'https://directory.example.com';
  const names = { name: 'Bot Directory', description: 'Bots for everyone.', contact: undefined, accent: undefined };
  const hosts = { template: { host: 'templates.example.com' }, social: { host: 'x.com' } };
  const frame = frameOf({ baseUrl, ...hosts, site: names }, assets);
  const headers = [...pageHeaders({ baseUrl: 'http:' }), 'Content-Type', 'text/html; charset=utf-8'];
  const documents = Object.values(views).map((view) => render(frame, view));
  const server = createServer(({ url = '/' }, res) => {
    const file = assets.find(({ path }) => path === url);
    if (file !== undefined) res.setHeader('Content-Type', file.type).end(file.body);
    else res.writeHead(200, headers).end(documents[Number(url.slice(1))] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const widths = [1_280, 390];

/**
 * Looks up to three times. A browser that is busy paints a page of which only a part has come, and again with the rest:
 * that happens now and then. What a page does wrong by itself happens each time.
 */
const steadily = async <Layout extends { readonly moved: readonly string[] }>(
  look: () => Promise<Layout>,
): Promise<Layout> => {
  let layout = await look();
  for (let again = 0; again < 2 && layout.moved.length > 0; again += 1) layout = await look();
  return layout;
};

/** How much of the main navigation is to be scrolled to. */
const hiddenOfMenu = (page: Page): Promise<number> =>
  page.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.main-nav'))`);

const looks = [
  { width: 1_280, rules: 'all' },
  { width: 390, rules: 'all' },
  // The elements are those of a phone, in the same colours.
  { width: 320, rules: 'but contrast' },
] as const;

/** A test of each state. */
export const testStates = (world: () => World): void => {
  let states: Server;
  let origin: string;
  const inTab = sharedWindow(world);
  beforeAll(async () => {
    states = await startStates();
    origin = `http://127.0.0.1:${(states.address() as AddressInfo).port}`;
  });
  afterAll(() => void states.close());

  itInBrowser.each(Object.keys(views).map((name, i) => [name, i] as const))(
    '%s, on a desktop and a phone, in light and dark, and on 320 pixels',
    async (_name, i) => {
      await inTab(async ({ page }) => {
        await page.emulateMedia({ colorScheme: 'light' });
        for (const { width } of looks) {
          await page.setViewportSize({ width, height: 900 });
          const layout = await steadily(async () => {
            await page.goto(`${origin}/${i}`);
            return layoutOf(page);
          });
          const menu = await hiddenOfMenu(page);
          expect({ width, ...layout, menu }).toEqual({ width, moved: [], overflow: 0, menu: 0 });
        }
        // No script looks at the width: a page that is made wider is the page that was loaded at that width. In one
        // document axe is compiled once.
        for (const { width, rules } of looks.toReversed()) {
          await page.setViewportSize({ width, height: 900 });
          const light = await axeFindings(page, rules);
          await page.emulateMedia({ colorScheme: 'dark' });
          const dark = rules === 'all' ? await axeFindings(page, 'contrast') : [];
          await page.emulateMedia({ colorScheme: 'light' });
          expect({ width, light, dark }).toEqual({ width, light: [], dark: [] });
        }
      });
    },
  );
};

/** Two tests of each page as it is served. */
export const testServedPages = (world: () => World): void => {
  const inTab = sharedWindow(world);
  const inTabWithoutScript = sharedWindow(world, { javaScriptEnabled: false });
  itInBrowser.each(Object.entries(pages))('%s, %s: moves nothing and complains of nothing', async (path) => {
    await inTab(async ({ page, wrong }) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const layout = await steadily(async () => {
          await page.goto(`${world().site.url}${path}`);
          return layoutOf(page);
        });
        expect(layout).toEqual({ moved: [], overflow: 0 });
      }
      // Its own failure is what the console says of a page that is an error.
      const isError = path === '/bots/none' || path === '/?sort=best';
      expect(wrong.filter((text) => !isError || !/status of 4/.test(text))).toEqual([]);
    });
  });

  itInBrowser.each(Object.entries(pages))('%s, %s: moves nothing with the script off', async (path) => {
    await inTabWithoutScript(async ({ page }) => {
      const shifts = await startShifts(page);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        // The page that was there moves when the window changes.
        await shifts();
        const { moved } = await steadily(async () => {
          await page.goto(`${world().site.url}${path}`);
          return { moved: await shifts() };
        });
        expect(moved).toEqual([]);
      }
    });
  });
};

/** With text spaced out as WCAG 1.4.12 has it, in forced colours. */
export const holdsWhenSpacedOut: BrowserTest = async (world) => {
  const context = await world.browser.newContext({
    viewport: { width: 320, height: 640 },
    forcedColors: 'active',
    bypassCSP: true,
  });
  const page = await context.newPage();
  for (const path of ['/', '/bots/weekly-report', '/submit', '/webhooks']) {
    await page.goto(`${world.site.url}${path}`);
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
};
