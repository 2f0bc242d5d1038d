/**
 * The pages in a Chromium of May 2021, which knows neither cascade layers, `light-dark()` nor `:has()`: everything can
 * be read and used there. Only that browser is old: its driver is today's.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumOptions } from '@bot-directory/testing/chromium';
import { axeFindings, layoutOf } from './browser/chromium.ts';
import { pages } from './browser/every-page.ts';
import { permitted } from '@bot-directory/testing/needs';
import { until } from '@bot-directory/testing/until';
import { startSite, type SiteUnderTest } from '@bot-directory/testing/site';

/** The package has it for this machine only. */
const hasOldBrowser = platform() === 'linux' && arch() === 'x64';
const folder = mkdtempSync(join(tmpdir(), 'old-browser-'));

/** Unpacks the browser. */
const unpacked = (): string => {
  // Of the package, only the file is used; its code is for one cloud.
  const entry = createRequire(import.meta.url).resolve('chrome-aws-lambda');
  const path = join(folder, 'chromium');
  const packed = readFileSync(join(dirname(entry), '../bin/chromium.br'));
  writeFileSync(path, brotliDecompressSync(packed), { mode: 0o755 });
  return path;
};

let site: SiteUnderTest;
let browser: Browser;
/** Opens a page for as long as it is used. */
const inPage = async (
  path: string,
  use: (page: Page) => Promise<void>,
  { width = 1_280, colorScheme = 'light' }: { width?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<void> => {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  try {
    const page = await context.newPage();
    await page.goto(`${site.url}${path}`);
    await use(page);
  } finally {
    await context.close();
  }
};

/** Returns a computed style. */
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`);

describe('in a browser of 2021', { timeout: 240_000, ...permitted('a browser of 2021', hasOldBrowser) }, () => {
  beforeAll(async () => {
    site = await startSite();
    await site.publish('Weekly Report', { categories: ['Design'], integrations: ['slack'], author: '@ada' });
    for (let i = 0; i < 5; i += 1) await site.publish(`Report ${i}`, { categories: ['SEO'] });
    await site.post('/api/feed', { url: 'https://x.com/ada/status/1' });
    browser = await chromium.launch({ ...chromiumOptions(), executablePath: unpacked() });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await site.stop();
    rmSync(folder, { recursive: true });
  });

  it('is one that has none of what it must do without', async () => {
    expect(browser.version()).toMatch(/^92\./);
    await inPage('/about', async (page) => {
      const known = `['color: light-dark(red, blue)', 'selector(:has(a))'].map((one) => CSS.supports(one))`;
      expect(await page.evaluate(known)).toEqual([false, false]);
      expect(await page.evaluate('typeof CSSLayerBlockRule')).toBe('undefined');
    });
  });

  it.each(Object.keys(pages))('%s can be read, in light and dark, and is no wider than the window', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const)
      await inPage(
        path,
        async (page) => {
          const paper = await styleOf(page, 'html', 'background-color');
          expect(paper).toBe(colorScheme === 'light' ? 'rgb(251, 250, 247)' : 'rgb(19, 21, 18)');
          expect(await axeFindings(page, 'contrast')).toEqual([]);
          for (const width of [1_280, 375]) {
            await page.setViewportSize({ width, height: 800 });
            expect((await layoutOf(page)).overflow).toBe(0);
          }
        },
        { colorScheme },
      );
  });

  it('shows the edges of what is typed in, in light and dark', async () => {
    for (const [colorScheme, edge] of [
      ['light', 'rgb(133, 137, 127)'],
      ['dark', 'rgb(117, 124, 112)'],
    ] as const)
      await inPage(
        '/submit',
        async (page) => {
          expect(await styleOf(page, 'input[name=link]', 'border-top-color')).toBe(edge);
          expect(await styleOf(page, 'input[name=link]', 'border-top-width')).toBe('1px');
        },
        { colorScheme },
      );
  });

  it('searches while typing, and by a form', () =>
    inPage('/', async (page) => {
      await page.evaluate(`document.querySelector('[type=search]').focus()`);
      await page.keyboard.type('weekly');
      await until('one is found', async () => (await page.evaluate(`document.querySelectorAll('.card').length`)) === 1);
      expect(page.url()).toBe(`${site.url}/?q=weekly`);
      await page.keyboard.press('Enter');
      await until('the page is loaded', async () => /weekly/.test(await page.title()));
    }));

  // Playwright's own look at what is visible needs a newer browser.
  it('shows the filters of a phone, whose sheet it lacks, below the results', () =>
    inPage(
      '/',
      async (page) => {
        expect(await styleOf(page, '.filters', 'display')).toBe('block');
        expect(await styleOf(page, '.filters-open', 'display')).toBe('none');
        const below = `document.querySelector('.filters').offsetTop > document.querySelector('#results').offsetTop`;
        expect(await page.evaluate(below)).toBe(true);
      },
      { width: 375 },
    ));

  it('keeps the theme that was chosen', () =>
    inPage('/', async (page) => {
      for (let i = 0; i < 2; i += 1) await page.evaluate(`document.querySelector('.theme-top').click()`);
      expect(await styleOf(page, 'html', 'background-color')).toBe('rgb(19, 21, 18)');
      expect(await page.getAttribute('.theme-top', 'aria-label')).toBe('Theme: dark');
    }));
});
