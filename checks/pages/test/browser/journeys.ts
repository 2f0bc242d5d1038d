/** What people come for, from the first look to the end: on a phone and on a desktop, with the script and without. */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { templateHost } from '@bot-directory/testing/provider';
import { until } from '@bot-directory/testing/until';
import type { SiteUnderTest } from '@bot-directory/testing/site';
import { keyboard, mouse, touch, type Hands } from './hands.ts';
import { sharedWindow, type World } from './world.ts';

const desktop = { width: 1_280, height: 900 };
const phone = { width: 390, height: 844 };

type Visitor = {
  readonly name: string;
  readonly hands: Hands;
  readonly size: { readonly width: number; readonly height: number };
  readonly javaScriptEnabled: boolean;
};

const withKeyboard: readonly Visitor[] = [
  { name: 'with the keyboard alone', hands: keyboard, size: desktop, javaScriptEnabled: true },
  { name: 'with the keyboard alone and the script off', hands: keyboard, size: desktop, javaScriptEnabled: false },
];
const onPhone: readonly Visitor[] = [
  { name: 'on a phone', hands: touch, size: phone, javaScriptEnabled: true },
  { name: 'on a phone with the script off', hands: touch, size: phone, javaScriptEnabled: false },
];
const withMouse: readonly Visitor[] = [
  { name: 'with a mouse', hands: mouse, size: desktop, javaScriptEnabled: true },
  { name: 'with a mouse and the script off', hands: mouse, size: desktop, javaScriptEnabled: false },
];

type Visit = Hands & {
  readonly site: SiteUnderTest;
  readonly page: Page;
  readonly isPhone: boolean;
  /** A word that only this visit uses: in the names of what it looks for and makes. */
  readonly word: string;
};

type Journey = (visit: Visit) => Promise<void>;

/** What everybody comes for. */
const whole: Readonly<Record<string, Journey>> = {
  'finds a bot by search, installs it, submits one with a mistake and then rightly, and registers a webhook': async (
    visit,
  ) => {
    const template = await publish(visit, 'Invoices');
    await search(visit, 'invoices');
    await open(visit, 'Invoices');
    await install(visit, template);
    await goBackTo(visit, 'Invoices');
    const own = await submitWithTwoMistakes(visit);
    await correctBoth(visit, own);
    await registerWebhook(visit, hookOf(visit));
  },
};

const reporting: Readonly<Record<string, Journey>> = {
  'reports a bot, with no reason and then with one': async (visit) => {
    const { page, press, write, choose, site } = visit;
    await publish(visit, 'Reported');
    await page.goto(`${site.url}/bots/${(await found(visit, 'Reported')).slug}`);
    await press(page.getByText('Report this bot'));
    await write(page.getByLabel('Details'), 'It sells something else.');
    await page.getByLabel('Reason').evaluate((list) => list.removeAttribute('required'));
    await press(page.getByRole('button', { name: 'Send report' }));
    const refusal = page.getByText('1 field needs another look');
    await refusal.waitFor();
    expect(await isOnScreen(refusal)).toBe(true);
    expect(await page.getByLabel('Details').inputValue()).toBe('It sells something else.');
    await choose(page.getByLabel('Reason'), 'Outdated or wrong');
    await press(page.getByRole('button', { name: 'Send report' }));
    await page.getByText('Report sent').waitFor();
  },
};

/** What some come for. */
const others: Readonly<Record<string, Journey>> = {
  'installs a bot twice, which counts once': async (visit) => {
    const template = await publish(visit, 'Counted');
    for (let time = 0; time < 2; time += 1) {
      await visit.page.goto(visit.site.url);
      await search(visit, 'counted');
      await open(visit, 'Counted');
      await install(visit, template);
    }
    const count = async () => (await found(visit, 'Counted')).install_count;
    await until('the install is counted', async () => (await count()) === 1);
    // A second one would have come before this.
    await publish(visit, 'Later');
    expect(await count()).toBe(1);
  },

  'pages through all bots and back, and finds them by category': async (visit) => {
    const { page, press, isPhone, site, word } = visit;
    await site.publish(`Sorted ${word}`, { categories: ['Finance'] });
    await page.goto(site.url);
    await press(page.getByRole('link', { name: 'Next page' }));
    // Others publish meanwhile, so that the second page may begin after 25.
    await page.getByText(/^[23]\d–\d+ of \d+ bots$/).waitFor();
    expect(await page.title()).toMatch(/^Newest bots, \d+–\d+ of \d+ · /);
    await press(page.getByRole('link', { name: 'Previous page' }));
    await page.getByText(/^\d–\d+ of \d+ bots$/).waitFor();
    if (isPhone) await press(page.getByRole('button', { name: 'Filters' }));
    await press(page.getByRole('navigation', { name: 'Filters' }).getByRole('link', { name: /^Finance/ }));
    await page.getByRole('heading', { name: 'Finance bots' }).waitFor();
    await page.getByRole('link', { name: `Sorted ${word}`, exact: true }).waitFor();
    await press(page.getByRole('link', { name: 'Remove Finance' }));
    await page.getByRole('heading', { name: 'All bots' }).waitFor();
  },

  'puts first what was installed lately': async ({ page, press, site, word }) => {
    const slug = await site.publish(`Popular ${word}`);
    await site.install(slug);
    await site.publish(`Newer ${word}`);
    const listed = () => site.get<{ slug: string }[]>(`/api/bots?q=${word}&sort=trending`);
    await until('the install is counted', async () => (await listed()).body[0]?.slug === slug);
    await page.goto(`${site.url}/?q=${word}`);
    const order = page.getByRole('navigation', { name: 'Order' });
    await press(order.getByRole('link', { name: 'Trending' }));
    await page.waitForURL(/sort=trending/);
    expect(await order.locator('[aria-current]').textContent()).toBe('Trending');
    expect(await page.locator('.card-name').first().textContent()).toBe(`Popular ${word}`);
  },

  'decides by what a bot needs, adds an integration, and takes over what its template says now': async (visit) => {
    const { page, press, write, site } = visit;
    await site.publish('Uses it', { integrations: ['google-sheets'] });
    const template = await publish(visit, 'Renamed');
    await page.goto(site.url);
    await search(visit, 'renamed');
    await open(visit, 'Renamed');
    const installs = await page.getByRole('button', { name: 'Install' }).evaluateHandle((button) => button);
    const need = page.getByRole('heading', { name: 'You will need' });
    expect(await need.evaluate((one, button) => one.compareDocumentPosition(button as Node), installs)).toBe(4);
    await press(page.getByText('Keep it up to date'));
    const box = page.getByLabel('Add an integration');
    expect(
      await box.evaluate((one: HTMLInputElement) => [...(one.list?.options ?? [])].map(({ value }) => value)),
    ).toContain('google-sheets');
    await write(box, '!');
    await press(page.getByRole('button', { name: 'Add', exact: true }));
    await page.getByText('1 field needs another look').waitFor();
    expect(await box.inputValue()).toBe('!');
    await write(box, 'google-sheets');
    await press(page.getByRole('button', { name: 'Add', exact: true }));
    await page.getByText('Integration added').waitFor();
    await page.locator('.needs').getByRole('link', { name: 'Google Sheets' }).waitFor();
    site.provider.template({ name: `Now ${nameOf(visit, 'Renamed')}` }, template);
    await press(page.getByText('Keep it up to date'));
    await press(page.getByRole('button', { name: 'Refresh from the template' }));
    await page.getByText('Template checked').waitFor();
    await page.getByRole('heading', { name: `Now ${nameOf(visit, 'Renamed')}`, level: 1 }).waitFor();
  },

  'reads what a bot does, needs and resembles before it is asked for work': async (visit) => {
    const { page, press, site, word } = visit;
    const slug = await site.publish(`Resembles ${word}`, { categories: ['HR & Recruiting'] });
    await site.publish(`Similar ${word}`, { categories: ['HR & Recruiting'] });
    await page.goto(`${site.url}/bots/${slug}`);
    const order = [
      'Badge for a README',
      'You will need',
      'Install',
      'More like this',
      'Keep it up to date',
      'Report this bot',
    ];
    const text = await page.locator('main').evaluate((main) => (main as HTMLElement).textContent);
    expect(order.map((words) => text.indexOf(words))).toEqual(
      order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b),
    );
    const badge = page.getByRole('group', { name: 'Badge for a README' });
    expect(await badge.isVisible()).toBe(false);
    await press(page.getByText('Share', { exact: true }));
    await badge.waitFor();
    await press(page.getByRole('link', { name: `Similar ${word}`, exact: true }));
    await page.getByRole('heading', { name: `Similar ${word}`, level: 1 }).waitFor();
  },

  'submits a bot that is here already, and is redirected to it': async (visit) => {
    const { page, press, write, site } = visit;
    const template = await publish(visit, 'Known');
    await press(page.getByRole('link', { name: 'Submit a bot' }));
    await write(page.getByLabel('Template link'), site.link(template));
    await press(page.getByRole('button', { name: 'Preview' }));
    await page.getByText('This bot is already listed').waitFor();
    await open(visit, 'Known');
  },

  'previews a bot, drops an integration that it does not need, and takes the suggested category': async (visit) => {
    const { page, press, write, site } = visit;
    const name = nameOf(visit, 'Chosen');
    const template = site.provider.template({
      name,
      description: 'Chases each invoice and files the receipt.',
      connectors: ['Stripe', 'Gmail'],
    });
    await press(page.getByRole('link', { name: 'Submit a bot' }));
    await write(page.getByLabel('Template link'), site.link(template));
    await press(page.getByRole('button', { name: 'Preview' }));
    await page.getByRole('heading', { name, level: 2 }).waitFor();
    await press(page.getByRole('checkbox', { name: 'Finance' }));
    await press(page.getByRole('checkbox', { name: 'Gmail' }));
    await press(page.getByRole('button', { name: 'Publish bot' }));
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(await found(visit, 'Chosen')).toMatchObject({ integrations: ['stripe'], categories: ['Finance'] });
  },

  'submits a link and a handle that a chat has wrapped in characters that nobody sees': async (visit) => {
    const { page, press, write, site } = visit;
    const name = nameOf(visit, 'Pasted');
    const template = site.provider.template({ name, description: 'It does what it says.' });
    await press(page.getByRole('link', { name: 'Submit a bot' }));
    await write(page.getByLabel('Template link'), `\u2068${site.link(template)}\u200b\u2069`);
    await write(page.getByLabel('Your handle'), '\u202a@ada\u202c');
    await press(page.getByRole('button', { name: 'Preview' }));
    await page.getByRole('heading', { name, level: 2 }).waitFor();
    await press(page.getByRole('button', { name: 'Publish bot' }));
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(await found(visit, 'Pasted')).toMatchObject({ author: '@ada' });
  },

  'sees the steps of a chat, chooses its own service instead, and in words what was registered': async (visit) => {
    const { page, press, write } = visit;
    await openWebhooks(visit);
    const slack = page.getByText('It begins with https://hooks.slack.com/');
    expect(await slack.isVisible()).toBe(false);
    await press(page.getByRole('radio', { name: 'Slack' }));
    await slack.waitFor();
    await press(page.getByRole('radio', { name: 'Your own service' }));
    await press(page.getByRole('checkbox', { name: 'As CloudEvents' }));
    expect(await slack.isVisible()).toBe(false);
    await write(page.getByLabel('Webhook URL'), hookOf(visit).url);
    await write(page.getByLabel('Categories'), 'SEO');
    await write(page.getByLabel('Integrations'), 'slack');
    await press(page.getByRole('button', { name: 'Register and ping' }));
    await page.getByText('new bots in SEO that use Slack').first().waitFor();
    await page.getByText('from now on, as CloudEvents').waitFor();
  },

  'registers a webhook that does not answer or is private, then one that does, checks it and removes it': async (
    visit,
  ) => {
    const { page, press, write, site } = visit;
    const hook = hookOf(visit);
    site.silence(hook.path);
    await openWebhooks(visit);
    await write(page.getByLabel('Webhook URL'), hook.url);
    await press(page.getByRole('button', { name: 'Register and ping' }));
    await page.getByText(/It responded with \d{3}, not with a 2xx status\./).waitFor();
    await write(page.getByLabel('Webhook URL'), 'https://10.0.0.1/hook');
    await press(page.getByRole('button', { name: 'Register and ping' }));
    await page.getByText('1 field needs another look').waitFor();
    await page
      .getByText(/private, local or reserved/)
      .first()
      .waitFor();
    site.unsilence(hook.path);
    await registerWebhook(visit, hook);
    await write(page.getByLabel('Registered URL'), hook.url);
    await press(page.getByRole('button', { name: 'Check', exact: true }));
    await page.getByText('Active', { exact: true }).waitFor();
    await write(page.getByLabel('Registered URL'), hook.url);
    await press(page.getByRole('button', { name: 'Remove', exact: true }));
    const result = page.getByText('Removed. We no longer send to it.');
    await result.waitFor();
    expect(await isOnScreen(result)).toBe(true);
  },

  'adds a post to the showcase, which links its bot, as the bot links it': async (visit) => {
    const { page, press, write, word, site } = visit;
    const url = `https://x.com/${word}/status/17000${word.slice(1)}`;
    await site.publish(nameOf(visit, 'Shown'), { source_url: url });
    await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Showcase' }));
    await write(page.getByLabel('Link to a post'), `https://x.com/${word}/status/17000${word.slice(1)}`);
    await press(page.getByRole('button', { name: 'Add a post' }));
    await page.getByText('Post added').waitFor();
    await page.getByRole('link', { name: `@${word}` }).waitFor();
    await open(visit, 'Shown');
    await page.getByRole('link', { name: `@${word}’s post about this bot` }).waitFor();
  },

  'reads the API reference and follows a response to its schema': async ({ page, press, site }) => {
    await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API' }));
    await press(page.locator('.operation').getByRole('link', { name: 'ListedBot', exact: true }).first());
    expect(page.url()).toBe(`${site.url}/docs#schema-ListedBot`);
    expect(await page.locator('#schema-ListedBot').isVisible()).toBe(true);
  },
};

/**
 * Adds a test of each journey for each visitor, who begins at the home page. Finding, installing, submitting,
 * registering and reporting are also tested with the keyboard alone. On a desktop the other journeys use only a mouse,
 * because each key takes a turn of the browser.
 */
export const testJourneys = (world: () => World): void => {
  const open = (visitor: Visitor) => {
    const { size, javaScriptEnabled } = visitor;
    return { ...visitor, inTab: sharedWindow(world, { ...size, javaScriptEnabled }) };
  };
  const keyboards = withKeyboard.map(open);
  const phones = onPhone.map(open);
  const mice = withMouse.map(open);
  const test = (does: string, walk: Journey, { name, hands, size, inTab }: ReturnType<typeof open>, i: number): void =>
    it(`somebody new, ${name}, ${does}`, () =>
      inTab(async ({ page, wrong }) => {
        const { site } = world();
        await page.goto(site.url);
        await walk({ ...hands, site, page, isPhone: size === phone, word: `v${i}` });
        // The console reports a refusal as an error.
        expect(wrong.filter((text) => !/status of (400|409)/.test(text))).toEqual([]);
      }));
  const walks = [
    [whole, [...keyboards, ...phones, ...mice]],
    [reporting, [...keyboards, ...phones]],
    [others, [...phones, ...mice]],
  ] as const;
  for (const [journeys, visitors] of walks)
    for (const [does, walk] of Object.entries(journeys))
      for (const [i, visitor] of visitors.entries()) test(does, walk, visitor, i);
};

const isOnScreen = (text: Locator): Promise<boolean> =>
  text.evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= one.ownerDocument.documentElement.clientHeight;
  });

const nameOf = ({ word }: Visit, title: string): string => `${title} ${word}`;

/** Publishes a bot for this visit alone, as somebody else would. Returns its template. */
const publish = async (visit: Visit, title: string): Promise<string> => {
  const { site } = visit;
  const template = site.provider.template({ name: nameOf(visit, title), description: 'It does what it says.' });
  await site.post('/api/bots/submit', { link: site.link(template), integrations: ['stripe'] });
  return template;
};

const found = async (visit: Visit, title: string): Promise<Bot> => {
  const { body } = await visit.site.get<Bot[]>(`/api/bots?q=${encodeURIComponent(nameOf(visit, title))}`);
  const [bot] = body;
  if (bot === undefined) throw new Error(`no bot named ${nameOf(visit, title)}`);
  return bot;
};

const search = async ({ page, write, word }: Visit, words: string): Promise<void> => {
  await write(page.getByRole('searchbox', { name: 'Search bots' }), `${words} ${word}`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Results for “${words} ${word}”` }).waitFor();
};

const open = async (visit: Visit, title: string): Promise<void> => {
  await visit.press(visit.page.getByRole('link', { name: nameOf(visit, title), exact: true }));
  await visit.page.getByRole('heading', { name: nameOf(visit, title), level: 1 }).waitFor();
};

const install = async ({ page, press }: Visit, template: string): Promise<void> => {
  await press(page.getByRole('button', { name: 'Install' }));
  await page.waitForURL(`https://${templateHost}/bot/${template}`);
};

const goBackTo = async (visit: Visit, title: string): Promise<void> => {
  await visit.page.goBack();
  await visit.page.getByRole('heading', { name: nameOf(visit, title), level: 1 }).waitFor();
};

/** Submits a form with two mistakes. Returns the template that was meant. */
const submitWithTwoMistakes = async (visit: Visit): Promise<string> => {
  const { page, press, write } = visit;
  await press(page.getByRole('link', { name: 'Submit a bot' }));
  await write(page.getByLabel('Template link'), 'https://elsewhere.example/bot/x');
  await write(page.getByLabel('Your handle'), 'not a handle');
  await press(page.getByRole('checkbox', { name: 'SEO' }));
  await press(page.getByRole('button', { name: 'Preview' }));
  await page.getByText('2 fields need another look').waitFor();
  expect(await page.title()).toMatch(/^Error: Submit a bot/);
  expect(await page.getByLabel('Your handle').inputValue()).toBe('not a handle');
  expect(await page.getByRole('checkbox', { name: 'SEO' }).isChecked()).toBe(true);
  return visit.site.provider.template({ name: nameOf(visit, 'Submitted'), description: 'It does.' });
};

const correctBoth = async (visit: Visit, template: string): Promise<void> => {
  const { page, press, write, site } = visit;
  await write(page.getByLabel('Template link'), site.link(template));
  await write(page.getByLabel('Your handle'), '@ada');
  await press(page.getByRole('button', { name: 'Preview' }));
  await page.getByRole('heading', { name: nameOf(visit, 'Submitted'), level: 2 }).waitFor();
  await press(page.getByRole('button', { name: 'Publish bot' }));
  await page.getByRole('heading', { name: nameOf(visit, 'Submitted'), level: 1 }).waitFor();
  await page.getByText('Subscribers are being notified.').waitFor();
};

type Hook = { readonly path: string; readonly url: string };

let hooks = 0;
const hookOf = ({ site }: Visit): Hook => {
  const path = `/hook-${(hooks += 1)}`;
  return { path, url: site.receiver.url(path) };
};

const openWebhooks = ({ page, press }: Visit): Promise<void> =>
  press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Webhooks' }));

const registerWebhook = async (visit: Visit, { url }: Hook): Promise<void> => {
  const { page, press, write, site } = visit;
  if (!page.url().startsWith(`${site.url}/webhooks`)) await openWebhooks(visit);
  await write(page.getByLabel('Webhook URL'), url);
  await press(page.getByRole('button', { name: 'Register and ping' }));
  await page.getByText('Registered. Your endpoint responded to the ping.').waitFor();
  // The URL of a webhook authorises its removal, so it is in no address.
  expect(page.url()).toBe(`${site.url}/webhooks#result`);
};
