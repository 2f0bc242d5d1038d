/** What a stranger's text does in a browser: nothing; and what it could do if it got into a page: nothing either. */
import { expect } from 'vitest';
import { exampleBot } from '@bot-directory/contract';
import { badge } from '@bot-directory/site';
import { templateHost } from '@bot-directory/testing/provider';
import { inWindow, type BrowserTest } from './world.ts';

/** What holds → the test of it. */
export const policyTests: Readonly<Record<string, BrowserTest>> = {
  'gives each name the room that it takes on a badge': async ({ browser }) => {
    const page = await browser.newPage();
    const names = [
      'Weekly SEO report',
      'illiterate lilli',
      'WWWWMMMM',
      'Жуки и Щука',
      'Αναφορά πωλήσεων',
      'Հաշվետվություն',
    ];
    for (const name of [...names, 'مرحبا بالعالم', 'שלום עולם']) {
      await page.setContent(badge({ ...exampleBot, name }));
      const taken = await page.evaluate<number>(`(() => {
        const text = document.querySelector('text');
        const room = text.textLength.baseVal.value;
        text.removeAttribute('textLength');
        return text.getComputedTextLength() / room;
      })()`);
      expect({ name, isRight: taken > 0.85 && taken < 1.15, taken }).toMatchObject({ isRight: true });
    }
    await page.close();
  },

  'shows a stranger’s text as text on every page, and runs nothing': async (world) => {
    const { site, hostileSlugs } = world;
    await inWindow(world, async ({ page, wrong }) => {
      const bots = hostileSlugs.map((slug) => `/bots/${slug}`);
      for (const path of ['/', '/?category=SEO', '/?q=%3Cscript%3Ealert(1)%3C/script%3E', '/webhooks', ...bots]) {
        await page.goto(`${site.url}${path}`);
        expect(await page.title()).toMatch(/Bot Directory$/);
        expect(await page.locator('img, iframe, object, embed, base, main script, main style').count()).toBe(0);
        const leads = await page.evaluate<string[]>(
          `[...document.querySelectorAll('header a, main a')].map(({ protocol }) => protocol)`,
        );
        expect(new Set(leads)).toEqual(new Set(['http:']));
        if (!bots.includes(path)) continue;
        const { name } = (await site.get<{ name: string }>(`/api${path}`)).body;
        expect([path, await page.locator('h1').textContent()]).toEqual([path, name]);
      }
      expect(wrong).toEqual([]);
    });
  },

  'lets nothing run that got into a page': async (world) => {
    await inWindow(world, async ({ page }) => {
      await page.goto(`${world.site.url}/bots/weekly-report`);
      const tried = await page.evaluate(`(() => {
        const outcome = {};
        const violations = [];
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violations.push(effectiveDirective));
        const attempt = (name, run) => { try { run(); outcome[name] = 'done'; } catch { outcome[name] = 'refused'; } };
        attempt('innerHTML', () => { document.createElement('p').innerHTML = '<b>x</b>'; });
        attempt('script', () => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s); });
        attempt('document.write', () => { document.write('<p>x'); });
        const style = document.createElement('style');
        style.textContent = 'main { display: none }';
        document.head.append(style);
        const image = new Image();
        const failed = new Promise((resolve) => { image.onerror = resolve; });
        image.src = 'https://evil.example/x.png';
        // Violations are reported in order, and that of the picture comes last.
        return failed.then(() => new Promise((resolve) => setTimeout(() => resolve({ outcome, violations,
          ran: window.ran === true, isShown: getComputedStyle(document.querySelector('main')).display !== 'none' }))));
      })()`);
      expect(tried).toMatchObject({
        outcome: { innerHTML: 'refused', script: 'refused', 'document.write': 'refused' },
        violations: expect.arrayContaining(['style-src-elem', 'img-src']) as unknown,
        ran: false,
        isShown: true,
      });
    });
  },

  'installs with the provider named in the policy, and not without': async (world) => {
    const { site } = world;
    await inWindow(world, async ({ page }) => {
      await page.goto(`${site.url}/bots/weekly-report`);
      await page.getByRole('button', { name: 'Install' }).click();
      await page.waitForURL(`https://${templateHost}/bot/*`);
      await page.goto(`${site.url}/about`);
      const refused = page.evaluate(`new Promise((resolve) => {
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
        const form = document.createElement('form');
        form.method = 'post';
        form.action = '/bots/weekly-report/install';
        document.body.append(form);
        form.submit();
      })`);
      expect(await refused).toBe('form-action');
    });
  },

  'refuses a form that another site sends, and counts no install from there': async (world) => {
    const { site } = world;
    const slug = await site.publish('Sent from elsewhere');
    await inWindow(world, async ({ page, context }) => {
      const send = async (path: string): Promise<void> => {
        const body = `<form method="post" action="${site.url}${path}"><button>Send</button></form>`;
        await context.route('http://elsewhere.example/', (route) => route.fulfill({ contentType: 'text/html', body }));
        await page.goto('http://elsewhere.example/');
        await page.getByRole('button').click();
      };
      await send('/submit');
      await page.getByText('This form was not sent from a page of this site').waitFor();
      await send(`/bots/${slug}/install`);
      await page.waitForURL(`https://${templateHost}/bot/*`);
      await site.publish('Makes the count fresh');
      expect((await site.get<{ install_count: number }>(`/api/bots/${slug}`)).body.install_count).toBe(0);
    });
  },
};
