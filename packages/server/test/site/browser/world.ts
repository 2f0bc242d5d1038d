/** What all tests in a browser share: one Chromium, and one directory with bots of every kind. Each opens a window. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startSite, type SiteUnderTest } from '../directory.ts';
import { openContext, startBrowser, watch, type Setting } from './chromium.ts';

export type World = {
  readonly site: SiteUnderTest;
  readonly browser: Browser;
  /** The slugs of bots whose names and descriptions try to be something else. */
  readonly hostileSlugs: readonly string[];
};

/** A test in a browser. */
export type BrowserTest = (world: World) => Promise<void>;

/** Text that tries to be something else. */
const hostile: readonly string[] = [
  '<script>document.title="pwned"</script>',
  '<img src=x onerror="document.title=\'pwned\'">',
  '"\'><svg onload=document.title="pwned">',
  ']]></title></script><!--',
  '\u202Egnp.exe\u202C \u2066isolated\u2069 \u200Fmark',
  '😀👨‍👩‍👧‍👦🇩🇪 4 bytes and more',
  'W'.repeat(100),
  'مرحبا بالعالم שלום',
  '!!! ??? ***',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'line\u2028and\u2029paragraph',
  'half of a pair \uD83D',
  '{{7*7}} ${7*7} `backtick`',
  '</textarea><form action=https://evil.example>',
  '日本語の名前のボット',
  '\u200B\u200D\uFEFFhidden',
];

/** Publishes a bot for each of them; gives their slugs. */
export const publishHostile = async (site: SiteUnderTest): Promise<string[]> => {
  const slugs: string[] = [];
  for (const text of hostile) {
    const template = site.provider.template({ name: text, description: text.padEnd(500, ' x').slice(0, 500) });
    const { body } = await site.post<{ slug: string }>('/api/bots/submit', {
      link: site.link(template),
      categories: ['SEO'],
    });
    slugs.push(body.slug);
  }
  return slugs;
};

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
  await site.publish('Haiku Writer');
  await site.post('/api/feed', { url: 'https://x.com/ada/status/1' });
  return { site, browser, hostileSlugs };
};

/** Stops it. */
export const stopWorld = async ({ site, browser }: World): Promise<void> => {
  await Promise.all([site.stop(), browser.close()]);
};

/** A window of its own on the directory. */
export type Window = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What has gone wrong in the page so far. */
  readonly wrong: string[];
};

type Options = Partial<Omit<Setting, 'name'>> & { readonly javaScriptEnabled?: boolean };

/** Opens one for as long as it is used. */
export const inWindow = async (
  { site, browser }: World,
  use: (window: Window) => Promise<void>,
  { javaScriptEnabled = true, ...setting }: Options = {},
): Promise<void> => {
  const whole = { width: 1_280, height: 900, colorScheme: 'light' as const, ...setting };
  const context = await openContext(browser, whole, { javaScriptEnabled });
  try {
    const page = await context.newPage();
    await use({ context, page, wrong: watch(page, site.url) });
  } finally {
    await context.close();
  }
};
