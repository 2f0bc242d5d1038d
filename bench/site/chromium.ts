/** What somebody waits for in Chromium: the first paint, and the results of a search while typing. */
import { createServer } from 'node:http';
import { chromium, type Browser } from 'playwright-core';
import { chromiumOptions } from '@bot-directory/testing/chromium';
import { findProgram } from '../../scripts/programs.mjs';
import { listen } from '../support/listen.ts';
import { median } from '../support/statistics.ts';
import { ratio, row } from '../support/table.ts';

const rounds = 15;
const oneLine = '<!doctype html><html lang="en"><meta charset="utf-8"><title>One line</title><p>One line.</p></html>';

/** Prints both, with their bars. Without Chromium it prints that it measures neither. */
export const measureInChromium = async (baseUrl: string): Promise<void> => {
  if (findProgram('chromium') === undefined) {
    console.log('No Chromium here: first paint and live search are not measured.');
    return;
  }
  // It has the policies of our pages: for the one about openers, Chromium starts another process for every page.
  const policies = [...(await fetch(baseUrl)).headers].filter(([name]) => /^content-sec|-policy$/.test(name));
  const server = createServer((_request, response) =>
    response.writeHead(200, [...policies.flat(), 'Content-Type', 'text/html']).end(oneLine),
  );
  const lineUrl = `http://127.0.0.1:${await listen(server)}/`;
  const browser = await chromium.launch(chromiumOptions());
  try {
    await printFirstPaint(browser, baseUrl, lineUrl);
    await printLiveSearch(browser, baseUrl);
  } finally {
    await browser.close();
    server.close();
  }
};

const printFirstPaint = async (browser: Browser, baseUrl: string, lineUrl: string): Promise<void> => {
  const home: number[] = [];
  const line: number[] = [];
  for (let round = -1; round < rounds; round++) {
    for (const [url, times] of [
      [baseUrl, home],
      [lineUrl, line],
    ] as const) {
      const ms = await firstPaintMs(browser, url);
      if (round >= 0) times.push(ms);
    }
  }
  const ratios = home.map((ms, i) => ms / (line[i] ?? Number.NaN));
  console.log(row('first paint', ['ms', 'one line', 'ratio', 'bar']));
  console.log(
    row('  home page', [median(home).toFixed(0), median(line).toFixed(0), ratio(median(ratios)), ratio(3.5)]),
  );
};

/** Measures the first paint in a window with an empty cache. */
const firstPaintMs = async (browser: Browser, url: string): Promise<number> => {
  const page = await browser.newPage();
  await page.goto(url);
  const ms = await page.evaluate<number>(`new Promise((resolve) =>
    new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').forEach((paint) => resolve(paint.startTime)))
      .observe({ type: 'paint', buffered: true }))`);
  await page.close();
  return ms;
};

/** Measures and prints the time from the last key to the results. */
const printLiveSearch = async (browser: Browser, baseUrl: string): Promise<void> => {
  const timesMs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const page = await browser.newPage();
    await page.goto(baseUrl);
    await page.evaluate(`(() => {
      const before = document.querySelector('#results');
      document.querySelector('#q').addEventListener('input', () => { window.typedAt = performance.now(); });
      window.found = new Promise((resolve) => new MutationObserver(() => {
        if (document.querySelector('#results') !== before) resolve(performance.now() - window.typedAt);
      }).observe(document.body, { childList: true, subtree: true }));
    })()`);
    await page.locator('#q').pressSequentially('report');
    const ms = await page.evaluate<number>('window.found');
    if (round >= 0) timesMs.push(ms);
    await page.close();
  }
  console.log(row('live search', ['ms', 'bar']));
  console.log(row('  last key to results', [median(timesMs).toFixed(0), '350']));
};
