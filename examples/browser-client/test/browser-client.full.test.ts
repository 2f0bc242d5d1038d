/** The page in a real browser, on an origin that is not the directory's. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chromiumOptions } from '@bot-directory/testing/chromium';
import { createClient } from '@bot-directory/sdk';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, startDirectory } from '@bot-directory/testing/directory';
import { needs } from '@bot-directory/testing/needs';
import { freePort } from '../../../scripts/port.mjs';

const link = (id: string) => `https://templates.example.com/bot/${id}`;

describe('the page', needs('chromium'), () => {
  let service: Directory;
  let browser: Browser;
  let page: Page;
  let stopServing: () => Promise<unknown>;
  const errors: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    const serving = spawn(process.execPath, [join(import.meta.dirname, '../serve.js')], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stopServing = () => (serving.kill(), once(serving, 'exit'));
    [service, browser] = await Promise.all([
      startDirectory(),
      chromium.launch(chromiumOptions()),
      once(serving.stdout, 'data'),
    ]);
    const directory = createClient({ baseUrl: service.baseUrl });
    for (const id of [
      'weekly-seo-report',
      'pull-request-reviewer',
      'invoice-chaser',
      'lead-researcher',
      'support-triage',
      'changelog-writer',
    ]) {
      await directory.bots.submit({ link: link(id), categories: id === 'invoice-chaser' ? ['Finance'] : [] });
    }
    page = await browser.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(`http://localhost:${port}/?directory=${encodeURIComponent(service.baseUrl)}`);
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([service.stop(), stopServing()]);
  });

  const names = () => page.locator('#bots a').allTextContents();
  const summary = (text: string) => page.getByText(text, { exact: true }).waitFor();

  it('lists the newest bots, and more of them', async () => {
    await summary('5 of 6');
    expect((await names())[0]).toBe('Changelog Writer');
    await page.getByRole('button', { name: 'Show more' }).click();
    await summary('6 of 6');
    expect((await names()).at(-1)).toBe('Weekly SEO Report');
    expect(await page.getByRole('button', { name: 'Show more' }).isHidden()).toBe(true);
  });

  it('searches while one types, and filters', async () => {
    await page.getByLabel('Search').pressSequentially('invoice');
    await summary('1 of 1');
    expect(await names()).toEqual(['Invoice Chaser']);
    await page.getByLabel('Search').fill('no such bot');
    await summary('No bot matches.');
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Category').selectOption('Finance');
    await summary('1 of 1');
    await page.getByLabel('Category').selectOption('');
    await summary('5 of 6');
  });

  it('submits a bot, and shows it', async () => {
    await page.getByLabel('Template link').fill(link('meeting-notes'));
    await page.getByRole('button', { name: 'Submit' }).click();
    await summary('Published as meeting-notes-and-actions.');
    await summary('5 of 7');
    await summary('New: Meeting Notes & Actions');
    expect((await names())[0]).toBe('Meeting Notes & Actions');
  });

  it.each([
    [link('meeting-notes'), 'It is already listed as meeting-notes-and-actions.'],
    [link('none'), 'The template provider has no template at this link.'],
  ])('says why %s is refused', async (address, words) => {
    await page.getByLabel('Template link').fill(address);
    await page.getByRole('button', { name: 'Submit' }).click();
    await summary(words);
  });

  it('logs no error but the refusals that the browser itself notes', async () => {
    // The browser reports in order: this reply comes after all earlier messages.
    await page.evaluate(() => true);
    expect(errors.filter((text) => !/status of (404|409)/.test(text))).toEqual([]);
  });
});
