/** What the script adds: live search, the note of new bots, copying, the theme. And what all of it weighs. */
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { until } from '@bot-directory/testing/until';
import { startSite } from '@bot-directory/testing/site';
import { layoutOf } from './chromium.ts';
import { inWindow, type BrowserTest, type Window } from './world.ts';

const newsIn = (page: Page): Promise<string | null> => page.locator('[data-news]').textContent();

/** Collects the paths that a window requests from now on. */
const pathsAskedIn = (context: BrowserContext): string[] => {
  const asked: string[] = [];
  context.on('request', (request) => asked.push(new URL(request.url()).pathname));
  return asked;
};

type Use = (window: Window & { readonly url: string }) => Promise<void>;

/** Begins at the home page; nothing may go wrong there. */
const atHome =
  (use: Use): BrowserTest =>
  (world) =>
    inWindow(world, async (window) => {
      const { url } = world.site;
      await window.page.goto(url);
      await use({ ...window, url });
      expect(window.wrong).toEqual([]);
    });

/** What it does → the test of it. */
export const scriptTests: Readonly<Record<string, BrowserTest>> = {
  'searches while one types, in place, and keeps the address right': atHome(async ({ page, url }) => {
    const box = page.getByRole('searchbox', { name: 'Search bots' });
    await page.evaluate(`window.before = document`);
    await box.pressSequentially('haiku');
    await page.getByRole('heading', { name: 'Results for “haiku”' }).waitFor();
    expect(await page.locator('.card').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?q=haiku');
    expect(await page.evaluate(`window.before === document && document.activeElement.id`)).toBe('q');
    expect(await page.locator('[data-status]').textContent()).toBe('1 bot');
    expect((await layoutOf(page)).moved).toEqual([]);
    await box.fill('');
    await page.getByRole('heading', { name: 'All bots' }).waitFor();
    expect(page.url()).toBe(`${url}/`);
    await box.fill('report 7');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/?q=report+7');
  }),

  'leads to the search box by Ctrl+K, also from a page without one, and to the results by Tab': atHome(
    async ({ page, url }) => {
      const focused = (): Promise<string> => page.evaluate(`document.activeElement.id`);
      await page.keyboard.press('Control+k');
      expect(await focused()).toBe('q');
      await page.goto(`${url}/about`);
      await page.keyboard.press('Meta+k');
      await page.waitForURL(`${url}/#q`);
      await until('the box has the focus', async () => (await focused()) === 'q');
      await page.goto(url);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.getByRole('link', { name: 'Skip to results' }).press('Enter');
      expect(await focused()).toBe('results');
    },
  ),

  'leads to the search box by a slash, and through the results by arrows': atHome(async ({ page }) => {
    const focused = (): Promise<string> =>
      page.evaluate(`document.activeElement.id || document.activeElement.textContent`);
    const names = await page.locator('#results .card-name').allTextContents();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).not.toBe(names[0]);
    await page.keyboard.press('/');
    expect(await focused()).toBe('q');
    await page.keyboard.type('a/b');
    expect(await page.getByRole('searchbox').inputValue()).toBe('a/b');
    await page.waitForURL(/q=a/);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'All bots' }).waitFor();
    for (const expected of [names[0], names[1]]) {
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe(expected);
    }
    for (const expected of [names[0], 'q']) {
      await page.keyboard.press('ArrowUp');
      expect(await focused()).toBe(expected);
    }
  }),

  'waits for the end of a composition': async (world) => {
    await inWindow(world, async ({ page }) => {
      // The page's time passes only when the test moves it.
      await page.clock.install();
      await page.goto(world.site.url);
      const asked = pathsAskedIn(page.context());
      await page.evaluate(`(() => {
        const box = document.querySelector('#q');
        box.value = 'れ';
        box.dispatchEvent(new InputEvent('input', { isComposing: true, bubbles: true }));
      })()`);
      await page.clock.runFor(5_000);
      expect(asked.filter((path) => path === '/')).toEqual([]);
      await page.evaluate(`document.querySelector('#q').dispatchEvent(new CompositionEvent('compositionend'))`);
      await page.clock.runFor(200);
      await page.getByText(/^No bots match/).waitFor();
    });
  },

  'keeps the page, the text and the old results when a search fails, and finds again on Enter': async (world) => {
    await inWindow(world, async ({ page, context }) => {
      await page.goto(world.site.url);
      await page.evaluate(`window.before = document`);
      const onlyLive = '**/?q=*';
      await context.route(onlyLive, (route, request) =>
        request.isNavigationRequest() ? route.continue() : route.abort(),
      );
      const box = page.getByRole('searchbox');
      await box.fill('haiku');
      await page.getByText('No connection; press Enter to try again').waitFor();
      expect(await page.evaluate(`window.before === document && document.activeElement.id`)).toBe('q');
      expect(await box.inputValue()).toBe('haiku');
      expect(await page.locator('#results .card').count()).toBe(24);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Results for “haiku”' }).waitFor();
      expect(await page.locator('.card').count()).toBe(1);
    });
  },

  'finds nothing for a symbol, and keeps the box': atHome(async ({ page, url }) => {
    const box = page.getByRole('searchbox');
    for (const symbol of ['@', '#', '"', '+', '🙂']) {
      await box.fill(symbol);
      await page.getByText(`No bots match “${symbol}”`).waitFor();
      expect(await page.evaluate(`document.activeElement.id`)).toBe('q');
    }
    for (const typed of ['@', '?!']) {
      await page.goto(`${url}/?q=${encodeURIComponent(typed)}`);
      await page.getByText(/^No bots match/).waitFor();
      expect(await box.inputValue()).toBe(typed);
    }
  }),

  'takes a filter away by a click on it, and finds one by typing': atHome(async ({ page, url }) => {
    const filters = page.getByRole('navigation', { name: 'Filters' });
    await filters.getByRole('link', { name: /^Slack/ }).click();
    await page.waitForURL(`${url}/integrations/slack`);
    await page.getByRole('heading', { name: 'Bots that work with Slack', level: 1 }).waitFor();
    await filters.getByRole('link', { name: 'Without Slack' }).click();
    await page.waitForURL(`${url}/`);
  }),

  'opens the filters as a sheet on a phone, also without the script': async (world) => {
    await inWindow(
      world,
      async ({ page }) => {
        await page.goto(world.site.url);
        const filters = page.getByRole('navigation', { name: 'Filters' });
        expect(await filters.isVisible()).toBe(false);
        await page.getByRole('button', { name: 'Filters' }).click();
        expect(await filters.isVisible()).toBe(true);
        await filters.getByRole('button', { name: 'Close' }).click();
        expect(await filters.isVisible()).toBe(false);
      },
      { width: 390, height: 844, javaScriptEnabled: false },
    );
  },

  'keeps what is searched for when a filter follows': atHome(async ({ page }) => {
    await page.getByRole('searchbox').pressSequentially('report');
    await page.getByRole('heading', { name: 'Results for “report”' }).waitFor();
    const filters = page.getByRole('navigation', { name: 'Filters' });
    await filters.getByRole('link', { name: /^SEO/ }).click();
    await page.waitForURL(/category=SEO/);
    expect(await page.getByRole('searchbox').inputValue()).toBe('report');
    await page.getByRole('link', { name: 'Weekly Report', exact: true }).waitFor();
    expect(await page.locator('.card').count()).toBe(1);
  }),

  'keeps the focus on a filter when a search ends after it was reached': async (world) => {
    await inWindow(world, async ({ page }) => {
      // The page's time passes only when the test moves it.
      await page.clock.install();
      await page.goto(world.site.url);
      await page.getByRole('searchbox').fill('report');
      const slack = page.getByRole('navigation', { name: 'Filters' }).getByRole('link', { name: /^Slack/ });
      await slack.focus();
      await page.clock.runFor(200);
      await page.getByRole('heading', { name: 'Results for “report”' }).waitFor();
      expect(await slack.getAttribute('href')).toContain('q=report');
      expect(await slack.evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
    });
  },

  'sends a request from the API reference, has samples in two languages, and finds what has a word': async (world) => {
    await inWindow(world, async ({ page, wrong }) => {
      await page.goto(`${world.site.url}/docs`);
      const read = page.locator('.operation', { has: page.locator('#getBot') });
      await read.getByRole('button', { name: 'Run' }).click();
      await read.getByText('200 OK').waitFor();
      expect(await read.getByRole('textbox').inputValue()).toMatch(/^\/api\/bots\/[a-z0-9-]+$/);
      const response = await read.getByRole('group', { name: 'Response' }).textContent();
      expect(response).toMatch(/^etag: "/m);
      expect(response).toContain('"install_count": ');
      await read.getByRole('textbox').fill('/api/bots/none-at-all');
      await read.getByRole('button', { name: 'Run' }).click();
      await read.getByText('404 Not Found').waitFor();
      wrong.length = 0;
      expect(await read.getByText('directory.bots.get(').isVisible()).toBe(false);
      await read.getByText('JavaScript').click();
      expect(await read.getByText('directory.bots.get(').isVisible()).toBe(true);
      expect(await read.getByText('curl -sS').isVisible()).toBe(false);
      await read
        .getByText('bot_gone', { exact: true })
        .locator('..')
        .click({ position: { x: 4, y: 12 } });
      await read.getByText('"code": "bot_gone"').waitFor();
      await page.getByRole('searchbox', { name: 'Filter' }).fill('rate_limited');
      await page.getByText(/^\d+ found$/).waitFor();
      expect(await read.isVisible()).toBe(false);
      expect(await page.locator('#any').isVisible()).toBe(true);
    });
  },

  'shows every main link in full, however wide the window is': atHome(async ({ page }) => {
    const cut: string[] = [];
    for (let width = 320; width <= 1_440; width += 10) {
      await page.setViewportSize({ width, height: 900 });
      const names = await page.evaluate<string[]>(`(() => {
        const menu = document.querySelector('.main-nav').getBoundingClientRect();
        const links = [...document.querySelectorAll('.main-nav a')];
        const isWhole = ({ left, right }) =>
          left >= Math.max(0, menu.left) - 0.5 && right <= Math.min(innerWidth, menu.right) + 0.5;
        return links.filter((link) => !isWhole(link.getBoundingClientRect())).map((link) => link.textContent);
      })()`);
      cut.push(...names.map((name) => `${name} at ${width}`));
    }
    expect(cut).toEqual([]);
  }),

  'reports new bots to every tab over one stream, hands it over, and moves nothing': async (world) => {
    const { site } = world;
    await inWindow(world, async ({ page, context }) => {
      const asked = pathsAskedIn(context);
      const streams = (): number => asked.filter((path) => path === '/api/events/stream').length;
      const opened = (tab: Page) => tab.waitForResponse('**/api/events/stream');
      const first = opened(page);
      await page.goto(site.url);
      await first;
      const other = await context.newPage();
      await other.goto(site.url);
      await site.publish('Brand new');
      for (const tab of [page, other]) await tab.getByRole('link', { name: /Show \d new bots?/ }).waitFor();
      expect(streams()).toBe(1);
      expect((await layoutOf(page)).moved).toEqual([]);
      const second = opened(other);
      await page.close();
      await second;
      expect(streams()).toBe(2);
      const before = await newsIn(other);
      await site.publish('Brand newer');
      await until('the other tab shows it', async () => (await newsIn(other)) !== before);
      await other.getByRole('link', { name: /Show \d new bots/ }).click();
      await other.getByRole('link', { name: 'Brand newer', exact: true }).first().waitFor();
    });
  },

  'opens ten tabs at once': atHome(async ({ context, url }) => {
    const tabs = await Promise.all(Array.from({ length: 10 }, () => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(url)));
    for (const tab of tabs) expect(await tab.locator('#results .card').count()).toBe(24);
  }),

  'copies, and says so': atHome(async ({ page, context, url }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    await page.goto(`${url}/bots/haiku-writer`);
    await page.locator('summary', { hasText: 'Share' }).click();
    await page.getByRole('button', { name: 'Copy: Link' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate(`navigator.clipboard.readText()`)).toBe(`${url}/bots/haiku-writer`);
    await until('it can be said again', async () => (await page.locator('#said').textContent()) === '');
  }),

  'opens the system’s share sheet where there is one': atHome(async ({ page, url }) => {
    const open = async (): Promise<Locator> => {
      await page.goto(`${url}/bots/haiku-writer`);
      await page.locator('summary', { hasText: 'Share' }).click();
      await page.getByRole('button', { name: 'Copy: Link' }).waitFor();
      return page.getByRole('button', { name: 'Share with an app' });
    };
    expect(await (await open()).count()).toBe(0);
    await page.addInitScript(
      `navigator.share = async (shared) => { window.shared = shared; throw new Error('closed'); }`,
    );
    await (await open()).click();
    expect(await page.evaluate('window.shared')).toEqual({ url: `${url}/bots/haiku-writer` });
  }),

  'shows a note once: it is not in the address that is copied or reloaded': atHome(async ({ page, url }) => {
    await page.goto(`${url}/bots/haiku-writer#published`);
    const note = page.getByText('Your bot is live');
    await note.waitFor();
    await page.waitForURL(`${url}/bots/haiku-writer`);
    expect(await note.isVisible()).toBe(true);
    await page.reload();
    expect(await note.isVisible()).toBe(false);
  }),

  'previews a link as soon as it is pasted': async (world) =>
    inWindow(world, async ({ page, wrong }) => {
      const { site } = world;
      const template = site.provider.template({ name: 'Pasted', description: 'It does.', connectors: ['Slack'] });
      await page.goto(`${site.url}/submit`);
      await page.getByLabel('Template link').fill(site.link(template));
      await page.getByRole('heading', { name: 'Pasted', level: 2 }).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('link');
      expect(await page.getByRole('checkbox', { name: 'Slack' }).isChecked()).toBe(true);
      expect(wrong).toEqual([]);
    }),

  'keeps what was chosen before a link is pasted, and when another link is': async (world) =>
    inWindow(world, async ({ page, wrong }) => {
      const { site } = world;
      const template = (name: string): string =>
        site.link(site.provider.template({ name, description: 'Files each receipt.', connectors: ['Gmail'] }));
      const [category, suggested] = ['Design', 'Finance'].map((name) => page.getByRole('checkbox', { name })) as [
        Locator,
        Locator,
      ];
      await page.goto(`${site.url}/submit`);
      await category.check();
      await page.getByLabel('Integrations').fill('Zapier, Slack');
      await page.getByLabel('Template link').fill(template('Pasted once'));
      await page.getByRole('heading', { name: 'Pasted once', level: 2 }).waitFor();
      const shown = async () => [
        await category.isChecked(),
        await suggested.isChecked(),
        await page.locator('[name=integrations]').inputValue(),
      ];
      expect(await shown()).toEqual([true, false, 'Zapier, Slack']);
      await page.getByLabel('Template link').fill(template('Pasted twice'));
      await page.getByRole('heading', { name: 'Pasted twice', level: 2 }).waitFor();
      expect(await shown()).toEqual([true, false, 'Zapier, Slack']);
      await page.getByRole('button', { name: 'Publish bot' }).click();
      await page.getByRole('heading', { name: 'Pasted twice', level: 1 }).waitFor();
      const { body } = await site.get<Bot>(`/api/bots/pasted-twice`);
      expect([body.categories, body.integrations.sort()]).toEqual([['Design'], ['slack', 'zapier']]);
      expect(wrong).toEqual([]);
    }),

  'offers categories for a pasted link, others for another, and ticks none': async (world) =>
    inWindow(world, async ({ page }) => {
      const { site } = world;
      const paste = async (name: string, description: string): Promise<void> => {
        const link = site.link(site.provider.template({ name, description }));
        await page.getByLabel('Template link').fill(link.replace('https://', ''));
        await page.getByRole('heading', { name, level: 2 }).waitFor();
        // What was pasted without its scheme is completed.
        expect(await page.getByLabel('Template link').inputValue()).toBe(link);
      };
      const shown = () =>
        page.evaluate(`[document.querySelector('[name=categories]').value,
          document.querySelectorAll('[name=categories]:checked').length]`);
      await page.goto(`${site.url}/submit`);
      await paste('Receipts filed', 'Files each receipt and invoice.');
      expect(await shown()).toEqual(['Finance', 0]);
      await paste('Logos drawn', 'Draws a logo and other designs.');
      expect(await shown()).toEqual(['Design', 0]);
      await page.getByRole('checkbox', { name: 'Design' }).check();
      await paste('More receipts', 'Files each receipt and invoice.');
      expect(await shown()).toEqual(['Design', 1]);
    }),

  'keeps what was typed over a reload and the way back, until it is published': async (world) =>
    inWindow(world, async ({ page }) => {
      const { site } = world;
      const link = site.link(site.provider.template({ name: 'Typed once' }));
      const texts = ['Template link', 'Your handle', 'Integrations'].map((label) => page.getByLabel(label));
      const shown = async () => [
        ...(await Promise.all(texts.map((text) => text.inputValue()))),
        await page.getByRole('checkbox', { name: 'Design' }).isChecked(),
      ];
      await page.goto(`${site.url}/submit`);
      await page.getByRole('checkbox', { name: 'Design' }).check();
      await page.getByLabel('Your handle').fill('@ada');
      await page.getByLabel('Integrations').fill('Slack');
      await page.locator('#link').fill(link);
      await page.getByLabel('Your handle').focus();
      await page.reload();
      expect(await shown()).toEqual([link, '@ada', 'Slack', true]);
      await page.getByRole('navigation').getByRole('link', { name: 'API', exact: true }).click();
      await page.waitForURL(/docs/);
      await page.goBack();
      expect(await shown()).toEqual([link, '@ada', 'Slack', true]);
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('button', { name: 'Publish bot' }).click();
      await page.getByText('Your bot is live').waitFor();
      await page.goto(`${site.url}/submit`);
      expect(await shown()).toEqual(['', '', '', false]);
    }),

  'leaves Ctrl+K to a field, and takes it elsewhere': atHome(async ({ page, url }) => {
    await page.goto(`${url}/submit`);
    await page.getByLabel('Your handle').press('Control+k');
    await page.getByLabel('Your handle').fill('@ada');
    expect(page.url()).toBe(`${url}/submit`);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Control+k');
    await page.waitForURL(`${url}/#q`);
  }),

  'says in words what a webhook will get, while that is typed': atHome(async ({ page, url }) => {
    await page.goto(`${url}/webhooks`);
    const sentence = page.locator('[data-wish]');
    expect(await sentence.textContent()).toBe('new bots');
    await page.getByRole('checkbox', { name: 'Removed bots' }).check();
    await page.getByLabel('Categories').fill('SEO, Design');
    await page.getByLabel('Author').fill('@ada');
    expect(await sentence.textContent()).toBe('new and removed bots in SEO or Design by @ada');
  }),

  'shows that a form is on its way': atHome(async ({ page, url }) => {
    await page.goto(`${url}/feed`);
    await page.getByLabel('Link to a post').fill('https://x.com/ada/status/77');
    const busy = await page.evaluate(`(() => {
      const form = document.querySelector('main form');
      form.requestSubmit();
      return [form.ariaBusy, getComputedStyle(form.querySelector('.button')).cursor];
    })()`);
    expect(busy).toEqual(['true', 'progress']);
  }),

  'keeps the theme that was chosen, from before the first paint': atHome(async ({ page }) => {
    const paper = () => page.evaluate(`getComputedStyle(document.documentElement).backgroundColor`);
    expect(await paper()).toBe('rgb(251, 250, 247)');
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await paper()).toBe('rgb(19, 21, 18)');
    // The theme at the time when the body begins, and so before anything was painted.
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.body) return;
      window.first = document.documentElement.dataset.theme;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true })`);
    await page.reload();
    expect(await page.evaluate(`window.first`)).toBe('dark');
    expect(await paper()).toBe('rgb(19, 21, 18)');
  }),

  'needs four requests and at most 20 KB for the first view, and one for each later one, but for a script of forms':
    async (world) => {
      // Nobody publishes here: a page that has just changed is sent before it is compressed.
      const site = await startSite();
      const { url } = site;
      for (let i = 0; i < 24; i += 1) await site.publish(`Bot ${i}`, { categories: ['SEO'], integrations: ['slack'] });
      // Compressed forms are made when they are first asked for.
      const encoding = async () =>
        (await fetch(url, { headers: { 'Accept-Encoding': 'br' } })).headers.get('content-encoding');
      await until('the page is compressed', async () => (await encoding()) === 'br');
      const [, iconPath = ''] = /<link rel="icon"[^>]* href="([^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
      const icon = await (await fetch(new URL(iconPath, url))).arrayBuffer();
      await inWindow({ ...world, site }, async ({ page, context }) => {
        const session = await context.newCDPSession(page);
        await session.send('Network.enable');
        // A browser that shows no icons does not ask for the icon: it is counted apart.
        const asked: string[] = [];
        const askedForIcon: string[] = [];
        const cached = new Set<string>();
        let bytes = icon.byteLength;
        session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
        session.on('Network.responseReceived', ({ requestId, response }) => {
          const { pathname } = new URL(response.url);
          const isCached = response.fromDiskCache === true || cached.has(requestId);
          if (!isCached && pathname !== '/api/events/stream')
            (pathname === iconPath ? askedForIcon : asked).push(pathname);
        });
        session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
        await page.goto(url, { waitUntil: 'load' });
        await until('page, style and script are there', () => asked.length === 3);
        expect(bytes).toBeLessThanOrEqual(20 * 1_024);
        await page.getByRole('link', { name: 'Webhooks' }).click();
        await page.getByRole('heading', { name: 'Get every new bot where you work' }).waitFor();
        await page.getByRole('link', { name: 'Submit a bot' }).click();
        await page.getByRole('heading', { name: 'Submit a bot' }).waitFor();
        // Whatever else the first two had needed would have been asked for before the third.
        const later = asked.slice(3);
        expect(later.filter((path) => !path.startsWith('/assets/'))).toEqual(['/webhooks', '/submit']);
        expect(later.filter((path) => path.startsWith('/assets/'))).toEqual([
          expect.stringContaining('/assets/forms-'),
        ]);
        expect(askedForIcon.length).toBeLessThanOrEqual(1);
      });
      await site.stop();
    },
};
