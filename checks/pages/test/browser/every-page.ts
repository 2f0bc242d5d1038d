/**
 * Every page and every state: axe finds nothing, nothing moves, nothing is wider than the window, and the console has
 * no error. Phones are narrow windows here, because a window that emulates a phone makes room for what is too wide.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { frames, views } from '../../../../packages/site/test/views.ts';
import { axeFindings, layoutOf, startShifts } from './chromium.ts';
import { serveViews } from './views.ts';
import { sharedWindow, type World } from './world.ts';

/** Pages as they are served. Path → what is there. */
export const pages: Readonly<Record<string, string>> = {
  '/': 'the home page',
  '/?q=report&category=Design&integration=slack': 'filters in force',
  '/?q=quantum': 'no result',
  '/bots/weekly-report': 'a bot',
  '/bots/none': 'no such bot',
  '/categories': 'all categories',
  '/integrations': 'all integrations',
  '/authors': 'all authors',
  '/authors/ada': 'an author',
  '/feed': 'the showcase',
  '/submit': 'the submit form',
  '/webhooks': 'webhooks',
  '/docs': 'the API reference',
  '/docs/subscribing': 'the guide for subscribers',
  '/about': 'about',
  '/corrections': 'corrections',
  '/problems/invalid_request': 'an error code',
  '/?sort=best': 'a bad parameter',
};

const widths = [1_280, 390];

/**
 * Measures a layout, up to three times until nothing moves. A busy browser now and then paints a page before all of it
 * has come, and again with the rest. What the page itself does wrong happens each time.
 */
const steadily = async <Layout extends { readonly moved: readonly string[] }>(
  look: () => Promise<Layout>,
): Promise<Layout> => {
  let layout = await look();
  for (let again = 0; again < 2 && layout.moved.length > 0; again += 1) layout = await look();
  return layout;
};

/** Returns how much of the main navigation is hidden until it is scrolled. */
const hiddenOfMenu = (page: Page): Promise<number> =>
  page.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.main-nav'))`);

const stateWidths = [...widths, 320];

const looks = [
  { width: 1_280, colorScheme: 'light', rules: 'all' },
  { width: 1_280, colorScheme: 'dark', rules: 'contrast' },
  { width: 390, colorScheme: 'light', rules: 'all' },
  { width: 390, colorScheme: 'dark', rules: 'contrast' },
  // The elements are those of a phone, in the same colours.
  { width: 320, colorScheme: 'light', rules: 'but contrast' },
] as const;

/** Adds two tests of each state. */
export const testStates = (world: () => World): void => {
  let states: Awaited<ReturnType<typeof serveViews>>;
  const inTab = sharedWindow(world);
  const inOpenTab = sharedWindow(world, { bypassCSP: true });
  beforeAll(async () => {
    states = await serveViews(views, frames);
  });
  afterAll(() => states.stop());

  // Each document replaces the last in the same tab, so that axe stays compiled and optimized there. The policy would
  // let nobody write a document.
  it.each(Object.keys(views).map((name, i) => [name, i] as const))(
    '%s, has no finding of axe on a desktop and a phone, in light and dark, and on 320 pixels',
    async (_name, i) => {
      await inOpenTab(async ({ page }) => {
        if (!page.url().startsWith(states.origin)) await page.goto(states.origin);
        await page.setContent(states.documents[i] ?? '');
        for (const { width, colorScheme, rules } of looks) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          const look = { width, colorScheme };
          expect({ ...look, findings: await axeFindings(page, rules) }).toEqual({ ...look, findings: [] });
        }
      });
    },
  );

  it.each(Object.keys(views).map((name, i) => [name, i] as const))(
    '%s, moves nothing and is no wider than a desktop, a phone and 320 pixels',
    async (_name, i) => {
      await inTab(async ({ page }) => {
        for (const width of stateWidths) {
          await page.setViewportSize({ width, height: 900 });
          const layout = await steadily(async () => {
            await page.goto(`${states.origin}/${i}`);
            return layoutOf(page);
          });
          const menu = await hiddenOfMenu(page);
          expect({ width, ...layout, menu }).toEqual({ width, moved: [], overflow: 0, menu: 0 });
        }
      });
    },
  );
};

/** Holds what a page does once it is complete until it was painted: over a slow network, its end comes so late. */
const paintFirst = async (page: Page): Promise<void> => {
  await page.addInitScript(`addEventListener('DOMContentLoaded', (event) => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
      dispatchEvent(new Event('DOMContentLoaded'));
      window.isComplete = true;
    })));
  }, true)`);
};

/** Adds two tests of each page as it is served. */
export const testServedPages = (world: () => World): void => {
  const inTab = sharedWindow(world);
  const inTabWithoutScript = sharedWindow(world, { javaScriptEnabled: false });
  it.each(Object.entries(pages))('%s, %s: moves nothing and complains of nothing', async (path) => {
    await inTab(async ({ page, wrong }) => {
      await paintFirst(page);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const layout = await steadily(async () => {
          await page.goto(`${world().site.url}${path}`);
          await until('it is complete', () => page.evaluate<boolean>('window.isComplete === true'));
          return layoutOf(page);
        });
        expect(layout).toEqual({ moved: [], overflow: 0 });
      }
      // The console reports the status of a page that is itself an error.
      const isError = path === '/bots/none' || path === '/?sort=best';
      expect(wrong.filter((text) => !isError || !/status of 4/.test(text))).toEqual([]);
    });
  });

  it.each(Object.entries(pages))('%s, %s: moves nothing with the script off', async (path) => {
    await inTabWithoutScript(async ({ page }) => {
      const shifts = await startShifts(page);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        // The page before moves when the window changes its size: that does not count.
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
