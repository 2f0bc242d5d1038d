/** What all tests in a browser share: one Chromium, and one directory with bots of every kind. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { publishHostile, startSite, type SiteUnderTest } from '@bot-directory/testing/site';
import { openContext, startBrowser, watch, type Setting } from './chromium.ts';

export type World = {
  readonly site: SiteUnderTest;
  readonly browser: Browser;
  /** The slugs of bots whose names and descriptions try to be something else. */
  readonly hostileSlugs: readonly string[];
};

/** A test in a browser. */
export type BrowserTest = (world: World) => Promise<void>;

/** Starts it. */
export const startWorld = async (): Promise<World> => {
  const site = await startSite();
  const browser = await startBrowser(site.hosts);
  const template = site.provider.template({ name: 'Weekly Report', description: 'Mails a report. '.repeat(12) });
  await site.post('/api/bots/submit', {
    link: site.link(template),
    categories: ['SEO', 'Marketing'],
    integrations: ['slack', 'gmail', 'zoom', 'a'.repeat(50)],
    author: '@ada',
    source_url: 'https://x.com/ada/status/1',
  });
  const hostileSlugs = await publishHostile(site);
  for (let i = 0; i < 26; i += 1)
    await site.publish(`Report ${i}`, { categories: ['Design'], integrations: ['slack'] });
  await site.install(await site.publish('Haiku Writer'));
  await site.post('/api/feed', { url: 'https://x.com/ada/status/1' });
  return { site, browser, hostileSlugs };
};

/** Stops it. */
export const stopWorld = async ({ site, browser }: World): Promise<void> => {
  await Promise.all([site.stop(), browser.close()]);
};

/** A window, or a tab, on the directory. */
export type Window = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What has gone wrong in the page so far. */
  readonly wrong: string[];
};

type Options = Partial<Setting> & { readonly javaScriptEnabled?: boolean; readonly bypassCSP?: boolean };

const openFor = (
  { browser }: World,
  { javaScriptEnabled = true, bypassCSP = false, ...setting }: Options,
): Promise<BrowserContext> => {
  const sized = { width: 1_280, height: 900, colorScheme: 'light', ...setting } as const;
  return openContext(browser, sized, { javaScriptEnabled, bypassCSP });
};

/** Opens a window for as long as it is used. */
export const inWindow = async (
  world: World,
  use: (window: Window) => Promise<void>,
  options: Options = {},
): Promise<void> => {
  const context = await openFor(world, options);
  try {
    const page = await context.newPage();
    await use({ context, page, wrong: watch(page, world.site.url) });
  } finally {
    await context.close();
  }
};

/**
 * Opens one window for the tests of a `describe`, and reuses its tabs: for each new tab Chromium starts two processes,
 * and compiles axe again. After a failure a tab is closed.
 */
export const sharedWindow = (
  world: () => World,
  options: Options = {},
): ((use: (tab: Window) => Promise<void>) => Promise<void>) => {
  const free: Window[] = [];
  let context: BrowserContext | undefined;
  beforeAll(async () => {
    context = await openFor(world(), options);
  });
  afterAll(() => context?.close());
  const openTab = async (): Promise<Window> => {
    if (context === undefined) throw new Error('there is no window');
    const page = await context.newPage();
    return { context, page, wrong: watch(page, world().site.url) };
  };
  return async (use) => {
    const tab = free.pop() ?? (await openTab());
    try {
      await use(tab);
      // All messages of the page come before this reply, so that none is left for the next test.
      await tab.page.evaluate('0');
      tab.wrong.length = 0;
      free.push(tab);
    } catch (error) {
      await tab.page.close();
      throw error;
    }
  };
};
