/** What people come for, from the first look to the end: with the keyboard alone, and with the script off. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { until } from '../support/until.ts';
import { itInBrowser, openContext, startBrowser, watch } from './support/browser.ts';
import { startSite, type SiteUnderTest } from './support/directory.ts';

const phone = { width: 390, height: 844, colorScheme: 'dark' } as const;
const desktop = { width: 1_280, height: 900, colorScheme: 'light' } as const;

/** How somebody uses a page. */
type Hands = {
  readonly press: (target: Locator) => Promise<void>;
  readonly write: (target: Locator, text: string) => Promise<void>;
};

const pointer: Hands = {
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
};

/** Nothing but Tab, Enter, Space and letters. */
const keyboard: Hands = {
  press: async (target) => {
    await tabTo(target);
    const isCheckbox = (await target.getAttribute('type')) === 'checkbox';
    await target.page().keyboard.press(isCheckbox ? 'Space' : 'Enter');
  },
  write: async (target, text) => {
    await tabTo(target);
    await target.page().keyboard.press('Control+A');
    await target.page().keyboard.type(text);
  },
};

const tabTo = async (target: Locator): Promise<void> => {
  for (let presses = 0; presses < 150; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await target.page().keyboard.press('Tab');
  }
  throw new Error('the Tab key never got there');
};

const visitors = [
  { name: 'with the keyboard alone', hands: keyboard, window: desktop, javaScriptEnabled: true },
  { name: 'with the script off', hands: pointer, window: phone, javaScriptEnabled: false },
];

let site: SiteUnderTest;
let browser: Browser;
beforeAll(async () => {
  site = await startSite();
  browser = await startBrowser(site.hosts);
  for (let i = 0; i < 30; i += 1) await site.publish(`Filler ${i}`);
});
afterAll(() => Promise.all([site.stop(), browser.close()]));

type Visit = Hands & {
  /** Of whom this visit is: names what it makes. */
  readonly who: string;
  readonly page: Page;
  readonly isPhone: boolean;
  /** What went wrong in the page. */
  readonly wrong: string[];
};

/** A test for each kind of visitor, who begins at the home page. */
const somebody = (does: string, walk: (visit: Visit) => Promise<void>): void => {
  itInBrowser.each(visitors)(`somebody new ${does}, $name`, async ({ name, hands, window, javaScriptEnabled }) => {
    const context = await openContext(browser, window, { javaScriptEnabled });
    const page = await context.newPage();
    const wrong = watch(page, site.url);
    await page.goto(site.url);
    await walk({ ...hands, who: name, page, isPhone: window === phone, wrong });
    await context.close();
  });
};

somebody('finds a bot by search and installs it, which counts once', async ({ page, press, write, who, wrong }) => {
  const title = `Invoices ${who}`;
  const id = site.provider.template({ name: title, description: 'Chases invoices.' });
  await site.post('/api/bots/submit', { link: site.link(id), integrations: ['stripe'] });
  for (let visit = 0; visit < 2; visit += 1) {
    await page.goto(site.url);
    await write(page.getByRole('searchbox', { name: 'Search bots' }), `invoices ${who.split(' ')[2]}`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Results for/ }).waitFor();
    await press(page.getByRole('link', { name: title, exact: true }));
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await press(page.getByRole('button', { name: 'Install' }));
    await page.waitForURL(`https://templates.example.com/bot/${id}`);
  }
  const slug = (await site.get<Bot[]>(`/api/bots?q=${encodeURIComponent(title)}`)).body[0]?.slug;
  await until('it is counted', async () => (await site.get<Bot>(`/api/bots/${slug}`)).body.install_count === 1);
  expect(wrong).toEqual([]);
});

somebody(
  'pages through all bots and back, and finds them by category',
  async ({ page, press, who, isPhone, wrong }) => {
    await site.publish(`Sorted ${who}`, { categories: ['Finance'] });
    await page.goto(site.url);
    await press(page.getByRole('link', { name: 'Older bots' }));
    await page.getByRole('link', { name: 'Back to newest' }).waitFor();
    expect(await page.getByText(/^That is all/).count()).toBe(1);
    await press(page.getByRole('link', { name: 'Back to newest' }));
    await page.getByRole('link', { name: 'Older bots' }).waitFor();
    if (isPhone) await press(page.getByText('Filters', { exact: true }));
    await press(page.getByRole('navigation', { name: 'Filters' }).getByRole('link', { name: /^Finance/ }));
    await page.getByRole('heading', { name: 'Finance bots' }).waitFor();
    await press(page.getByRole('link', { name: 'Remove Finance' }));
    await page.getByRole('heading', { name: 'Newest bots' }).waitFor();
    expect(wrong).toEqual([]);
  },
);

somebody('submits a bot with two mistakes, then rightly, and once more', async ({ page, press, write, who, wrong }) => {
  const id = site.provider.template({ name: `Submitted ${who}`, description: 'It does.' });
  await press(page.getByRole('link', { name: 'Submit a bot' }));
  await write(page.getByLabel('Template link'), 'https://elsewhere.example/bot/x');
  await write(page.getByLabel('Your handle'), 'not a handle');
  await press(page.getByRole('checkbox', { name: 'SEO' }));
  await press(page.getByRole('button', { name: 'Publish bot' }));
  await page.getByText('2 fields need another look').waitFor();
  expect(await page.title()).toMatch(/^Error: Submit a bot/);
  expect(await page.getByLabel('Your handle').inputValue()).toBe('not a handle');
  expect(await page.getByRole('checkbox', { name: 'SEO' }).isChecked()).toBe(true);
  await write(page.getByLabel('Template link'), site.link(id));
  await write(page.getByLabel('Your handle'), '@ada');
  await press(page.getByRole('button', { name: 'Publish bot' }));
  await page.getByRole('heading', { name: `Submitted ${who}`, level: 1 }).waitFor();
  await page.getByText('Webhooks are being told.').waitFor();
  await press(page.getByRole('link', { name: 'Submit a bot' }));
  await write(page.getByLabel('Template link'), site.link(id));
  await press(page.getByRole('button', { name: 'Publish bot' }));
  await page.getByText('This bot is here already').waitFor();
  await press(page.getByRole('link', { name: `Submitted ${who}`, exact: true }));
  await page.getByRole('heading', { name: `Submitted ${who}`, level: 1 }).waitFor();
  expect(wrong.filter((text) => !/status of (400|409)/.test(text))).toEqual([]);
});

somebody(
  'registers a webhook that does not answer, then one that does, checks it and removes it',
  async ({ page, press, write, who, wrong }) => {
    const url = site.receiver.url(`/${who.replaceAll(' ', '-')}`);
    await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Webhooks' }));
    site.receiver.respond(404);
    await write(page.getByLabel('URL to register'), url);
    await press(page.getByRole('button', { name: 'Register and ping' }));
    await page.getByText('It answered, but not with 2xx.').waitFor();
    site.receiver.respond(204);
    await press(page.getByRole('button', { name: 'Register and ping' }));
    await page.getByText('Registered. The ping was answered.').waitFor();
    expect(page.url()).toBe(`${site.url}/webhooks`);
    await write(page.getByLabel('URL to check'), url);
    await press(page.getByRole('button', { name: 'Check', exact: true }));
    await page.getByText('Active', { exact: true }).waitFor();
    await write(page.getByLabel('URL to remove'), url);
    await press(page.getByRole('button', { name: 'Remove', exact: true }));
    await page.getByText('Removed. Nothing is sent to it any more.').waitFor();
    expect(wrong.filter((text) => !text.includes('status of 400'))).toEqual([]);
  },
);

somebody(
  'adds a post to the showcase, reports a bot, and reads the API reference',
  async ({ page, press, write, who, wrong }) => {
    const handle = `u${visitors.findIndex((visitor) => visitor.name === who)}`;
    await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Showcase' }));
    await write(page.getByLabel('Link to a post'), `https://x.com/${handle}/status/17000${handle.slice(1)}`);
    await press(page.getByRole('button', { name: 'Add a post' }));
    await page.getByText('Post added').waitFor();
    await page.getByRole('link', { name: `@${handle}` }).waitFor();
    const slug = await site.publish(`Reported ${who}`);
    await page.goto(`${site.url}/bots/${slug}`);
    await press(page.getByText('Report this bot'));
    await page.getByLabel('What is wrong').selectOption('spam');
    await press(page.getByRole('button', { name: 'Send report' }));
    await page.getByText('Report sent').waitFor();
    await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API' }));
    await press(page.locator('.operation').getByRole('link', { name: 'Bot', exact: true }).first());
    expect(page.url()).toBe(`${site.url}/docs#schema-Bot`);
    expect(wrong).toEqual([]);
  },
);
