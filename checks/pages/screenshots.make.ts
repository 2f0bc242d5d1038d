/** `npm run screenshots`: renews docs/screenshots/, the pages and a delivery that the demo's subscriber prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, it, onTestFinished } from 'vitest';
import { until } from '@bot-directory/testing/until';
import {
  looksOf,
  pictureFolder,
  picturedViews,
  pictures,
  terminalPage,
  withHash,
} from '../../packages/site/test/pictures.ts';
import { openContext, startBrowser } from './test/browser/chromium.ts';
import { serveViews } from './test/browser/views.ts';

const sizes = { desktop: { width: 1_280, height: 800 }, phone: { width: 375, height: 812 } };
/** The day after the newest bot. */
const today = new Date('2026-11-22T12:00:00Z');

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  rmSync(pictureFolder, { recursive: true, force: true });
  mkdirSync(pictureFolder);
});
afterAll(() => browser.close());

const hashes = pictures();

const take = async (page: Page, file: string): Promise<void> =>
  writeFileSync(join(pictureFolder, file), withHash(await page.screenshot(), hashes[file] ?? ''));

it('pictures the pages', async () => {
  const served = await serveViews(picturedViews);
  for (const [i, [name, looks]] of Object.entries(looksOf).entries())
    for (const [device, colorScheme] of looks) {
      const context = await openContext(browser, { ...sizes[device], colorScheme });
      const page = await context.newPage();
      await page.clock.setFixedTime(today);
      await page.goto(`${served.origin}/${i}`);
      await take(page, `${name}-${device}-${colorScheme}.png`);
      await context.close();
    }
  served.stop();
});

const submission = '{"link":"https://bots.example.com/bot/weekly-seo-report"}';

it('pictures a delivery', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
  const start = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));
  const { PATH, HOME } = process.env;
  const demo = spawn(process.execPath, [start], { env: { PATH, HOME, INSIDE_NPM_TEST: '1', DATA_DIR: folder } });
  onTestFinished(async () => {
    demo.kill('SIGTERM');
    await once(demo, 'exit');
    rmSync(folder, { recursive: true });
  });
  let said = '';
  for (const stream of [demo.stdout, demo.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await until('the demo runs', () => said.includes('Ctrl-C stops everything'), 120_000);
  const url = `${/^The directory is at (\S+)$/m.exec(said)?.[1]}/api/bots/submit`;
  const before = said.length;
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: submission });
  const body = await answer.text();
  await until('the delivery is printed', () => said.slice(before).includes('signature verified'));
  const page = await browser.newPage({ viewport: { width: 400, height: 100 } });
  const command = `$ curl -sS ${url} -H 'Content-Type: application/json' \\\n  -d '${submission}'`;
  await page.setContent(terminalPage([command, body, '', said.slice(before).trim()].join('\n')));
  await page.setViewportSize({
    width: await page.evaluate<number>('document.body.offsetWidth'),
    height: await page.evaluate<number>('document.body.offsetHeight'),
  });
  await take(page, 'delivery.png');
});
