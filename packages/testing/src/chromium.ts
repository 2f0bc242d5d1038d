/** Headless Chromium, on a page with its own origin: every request of the bundle is cross-origin. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type BrowserContext } from 'playwright-core';
import { program } from '../../../scripts/programs.mjs';

/** Returns the options with which Playwright starts Chromium. */
export const chromiumOptions = (): { executablePath: string; args: string[] } => ({
  executablePath: program('chromium'),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});

/** Serves a page on which the bundle can be imported, and opens a browser for as long as `use` runs. */
export const withChromium = async <Result>(
  bundle: string,
  use: (browser: BrowserContext, url: string) => Promise<Result>,
): Promise<Result> => {
  const server = createServer((request, response) => {
    const isBundle = request.url === '/bundle.js';
    response.setHeader('content-type', isBundle ? 'text/javascript' : 'text/html');
    response.end(isBundle ? readFileSync(bundle) : '<!doctype html><title>bundle</title>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch(chromiumOptions());
  try {
    return await use(await browser.newContext(), `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    await browser.close();
    server.close();
  }
};

/** Runs the bundle in a page. */
export const inChromium = (bundle: string, input: unknown): Promise<unknown> =>
  withChromium(bundle, async (browser, url) => {
    const page = await browser.newPage();
    await page.goto(url);
    // As text, because code compiled for Node must not reach the page.
    return page.evaluate(`import('/bundle.js').then(({ run }) => run(${JSON.stringify(input)}))`);
  });
