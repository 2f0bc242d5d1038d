/** A browser, its windows, and what is checked in a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { chromiumOptions } from '@bot-directory/testing/chromium';

/** Starts one. Close it in `afterAll`. `hosts`: names that point to a port of this machine. */
export const startBrowser = (
  hosts: Readonly<Record<string, number>> = {},
  more: readonly string[] = [],
): Promise<Browser> => {
  const { executablePath, args } = chromiumOptions();
  const rules = Object.entries(hosts).map(([name, port]) => `MAP ${name} 127.0.0.1:${port}`);
  return chromium.launch({ executablePath, args: [...args, ...more, `--host-resolver-rules=${rules.join(',')}`] });
};

/** A window in which a page is checked. */
export type Setting = {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
};

/** Opens a visitor's window. */
export const openContext = (
  browser: Browser,
  { width, height, colorScheme }: Setting = { width: 1_280, height: 900, colorScheme: 'light' },
  { javaScriptEnabled = true, bypassCSP = false } = {},
): Promise<BrowserContext> =>
  browser.newContext({
    viewport: { width, height },
    colorScheme,
    javaScriptEnabled,
    bypassCSP,
    isMobile: width < 600,
    hasTouch: width < 600,
    reducedMotion: 'reduce',
    // No authority that browsers trust has signed the certificates of tests.
    ignoreHTTPSErrors: true,
  });

/** Gathers what went wrong in a page, and its requests to other sites. */
export const watch = (page: Page, origin: string): string[] => {
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('dialog', (dialog) => {
    wrong.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.isNavigationRequest())
      wrong.push(`a request to ${request.url()}`);
  });
  return wrong;
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `contrast` takes longest and alone depends on colours. */
export type AxeRules = 'all' | 'contrast' | 'but contrast';

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const axeOptions: Readonly<Record<AxeRules, object>> = {
  all: { runOnly: wcag },
  contrast: { runOnly: { type: 'rule', values: ['color-contrast'] } },
  'but contrast': { runOnly: wcag, rules: { 'color-contrast': { enabled: false } } },
};

/** Returns what axe finds in a page, by WCAG 2.2 AA and its own best practices. */
export const axeFindings = async (page: Page, rules: AxeRules): Promise<string[]> => {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  return page.evaluate<string[]>(`axe.run(document, {
    ...${JSON.stringify(axeOptions[rules])},
    resultTypes: ['violations'],
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any, all }) =>
    id + ': ' + html.slice(0, 120) + ' ' + [...any, ...all].map(({ message }) => message).join(' ').slice(0, 200))))`);
};

/** Below this nobody sees anything move: such shifts come from rounding. */
const leastShift = 0.0001;

/** Returns what has moved since the page began to load, and by how much it is wider than the window. */
export const layoutOf = (page: Page): Promise<{ moved: string[]; overflow: number }> =>
  page.evaluate(`new Promise((resolve) => {
    const moved = [];
    const note = ({ value, sources }) => value >= ${leastShift} && moved.push(value.toFixed(4) + ' ' + sources.map(({ node, previousRect: a, currentRect: b }) =>
      (node?.outerHTML ?? node?.textContent ?? '').slice(0, 80) + [a.x, a.y, a.width, a.height, '→', b.x, b.y, b.width, b.height].join(' ')).join('; '));
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(note));
    observer.observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => {
      observer.takeRecords().forEach(note);
      resolve({ moved, overflow: document.documentElement.scrollWidth - innerWidth });
    }));
  })`);

/** Watches what moves in a page whose script is off: the browser reports it, after it has drawn a frame. */
export const startShifts = async (page: Page): Promise<() => Promise<string[]>> => {
  const moved: string[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('PerformanceTimeline.timelineEventAdded', ({ event }) => {
    const value = event.layoutShiftDetails?.value ?? 0;
    if (value >= leastShift) moved.push(`${value.toFixed(4)} in ${page.url()}`);
  });
  await session.send('PerformanceTimeline.enable', { eventTypes: ['layout-shift'] });
  return async () => {
    await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } });
    return moved.splice(0);
  };
};
