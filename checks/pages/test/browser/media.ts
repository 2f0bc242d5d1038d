/** Pages for those who see them otherwise: on paper, in large or spaced-out text, in forced colours, without motion. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { layoutOf, startBrowser } from './chromium.ts';
import type { BrowserTest, World } from './world.ts';

const paths = ['/', '/bots/weekly-report', '/submit', '/webhooks', '/docs', '/feed'];

/** Looks at each page in a window of its own kind. */
const onEachPage = async (
  { browser, site }: Pick<World, 'browser' | 'site'>,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> => {
  const context = await browser.newContext({ bypassCSP: true, ...options });
  const page = await context.newPage();
  for (const path of paths) {
    await page.goto(`${site.url}${path}`);
    await look(page);
  }
  await context.close();
};

/** The elements that a selector finds and the page shows. */
const shownOf = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((one) => one.checkVisibility())
    .map((one) => one.outerHTML.slice(0, 80))`);

/** Headings and buttons of which a part is not shown. */
const cutIn = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('button, .button, label:not(.hidden), h1, h2')]
    .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow !== 'visible')
    .map((one) => one.outerHTML.slice(0, 80))`);

const expectWhole = async (page: Page): Promise<void> => {
  const { overflow } = await layoutOf(page);
  expect({ path: page.url(), overflow, cut: await cutIn(page) }).toEqual({ path: page.url(), overflow: 0, cut: [] });
};

/** What it does → the test of it. */
export const mediaTests: Readonly<Record<string, BrowserTest>> = {
  'holds when text is spaced out as WCAG 1.4.12 has it, and in forced colours': (world) =>
    onEachPage(world, { viewport: { width: 320, height: 640 }, forcedColors: 'active' }, async (page) => {
      await page.addStyleTag({
        content: '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }',
      });
      await expectWhole(page);
    }),

  'holds when its text is twice as large, on a desktop and a phone': async ({ site }) => {
    const browser = await startBrowser(site.hosts, ['--blink-settings=defaultFontSize=32,defaultFixedFontSize=26']);
    for (const [width, height] of [
      [1_280, 800],
      [375, 812],
    ] as const)
      await onEachPage({ browser, site }, { viewport: { width, height } }, async (page) => {
        expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px');
        await expectWhole(page);
      });
    await browser.close();
  },

  'keeps the edges of its parts in forced colours': (world) =>
    onEachPage(world, { forcedColors: 'active' }, async (page) => {
      const without =
        await page.evaluate(`[...document.querySelectorAll('.button, .chip, .card, .cover, .initial, input:not([type=hidden]), .snippet')]
        .filter((one) => one.checkVisibility() && !one.matches('.search input, [type=radio], [type=checkbox]'))
        .filter((one) => !(parseFloat(getComputedStyle(one).borderTopWidth) >= 1))
        .map((one) => one.outerHTML.slice(0, 80))`);
      expect(without).toEqual([]);
    }),

  'moves nothing by itself for those who want no motion': (world) =>
    onEachPage(world, { reducedMotion: 'reduce' }, async (page) => {
      const moving = await page.evaluate(`[...document.querySelectorAll('*')]
        .filter((one) => ((style) => style.transitionDuration !== '0s' || style.animationName !== 'none')(getComputedStyle(one)))
        .map((one) => one.outerHTML.slice(0, 80))`);
      expect(moving).toEqual([]);
    }),

  'prints the addresses of a bot and its template, and cards in columns on paper in landscape': async ({
    browser,
    site,
  }) => {
    const page = await browser.newPage({ viewport: { width: 1_047, height: 718 } });
    await page.emulateMedia({ media: 'print' });
    await page.goto(`${site.url}/bots/weekly-report`);
    const printed = await page.evaluate(`getComputedStyle(document.querySelector('h1'), '::after').content`);
    expect(printed).toMatch(/^"http\S+\/bots\/weekly-report · https:\/\/\S+\/bot\/\S+"$/);
    const columns = (): Promise<number> =>
      page.evaluate(`new Set([...document.querySelectorAll('#results .card')].map((card) => card.offsetLeft)).size`);
    await page.goto(`${site.url}/?q=report`);
    expect(await columns()).toBe(2);
    await page.setViewportSize({ width: 718, height: 1_047 });
    expect(await columns()).toBe(1);
    await page.close();
  },

  'prints what can be read, dark on white, with dates that stay true, and nothing to press': (world) =>
    onEachPage(world, { colorScheme: 'dark' }, async (page) => {
      await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
      await page.emulateMedia({ media: 'print' });
      expect(await shownOf(page, 'nav, form, button, footer')).toEqual([]);
      expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(27, 29, 26)');
      expect(
        await page.evaluate(`[...document.querySelectorAll('time')]
        .filter((one) => one.checkVisibility() && !/ 20\\d\\d$/.test(one.innerText))
        .map((one) => one.outerHTML)`),
      ).toEqual([]);
      expect(
        await page.evaluate(`[...document.querySelectorAll('pre')]
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => one.outerHTML.slice(0, 80))`),
      ).toEqual([]);
    }),
};
