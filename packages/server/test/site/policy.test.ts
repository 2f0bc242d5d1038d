/** What a page is kept from doing, tried in a browser; and what a stranger's text can do there: nothing. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itInBrowser, openContext, startBrowser, watch } from './support/browser.ts';
import { startSite, type SiteUnderTest } from './support/directory.ts';

let site: SiteUnderTest;
beforeAll(async () => {
  site = await startSite();
  await site.publish('Plain');
});
afterAll(() => site.stop());

const policyOf = async (path: string): Promise<string | null> =>
  (await site.html(path)).headers.get('content-security-policy');
const policy = (formAction: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

it('lets forms lead to the provider on bot pages alone', async () => {
  expect(await policyOf('/bots/plain')).toBe(policy("'self' https://templates.example.com"));
  for (const path of ['/', '/submit', '/webhooks', '/docs', '/nothing'])
    expect(await policyOf(path)).toBe(policy("'self'"));
});

it('isolates pages, and shares what is to be shared', async () => {
  const headers = (await site.html('/')).headers;
  expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('camera=()');
  expect(headers.get('strict-transport-security')).toBeNull();
  expect((await site.html('/bots/plain/badge.svg')).headers.get('cross-origin-resource-policy')).toBe('cross-origin');
});

it('asks for HTTPS where it is served by it', async () => {
  const secure = await startSite({ redis: null, settings: { BASE_URL: 'https://directory.example.com' } });
  expect((await secure.html('/')).headers.get('strict-transport-security')).toBe('max-age=31536000');
  await secure.stop();
});

/** Text that tries to be something else. Each is a bot's name and description. */
const hostile = [
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
];

describe('a stranger’s text', () => {
  let slugs: string[];
  beforeAll(async () => {
    slugs = [];
    for (const text of hostile) {
      const template = site.provider.template({ name: text, description: text.padEnd(500, ' x').slice(0, 500) });
      const answer = await site.post<{ slug: string }>('/api/bots/submit', {
        link: site.link(template),
        categories: ['SEO'],
      });
      expect(answer.status).toBe(200);
      slugs.push(answer.body.slug);
    }
  });

  it('comes back equal from both feeds', async () => {
    const names = (await site.get<{ name: string }[]>('/api/bots')).body.map(({ name }) => name);
    const json = (await (await site.html('/bots.json')).json()) as { items: { title: string }[] };
    expect(json.items.map(({ title }) => title)).toEqual(names);
    const atom = await (await site.html('/bots.atom')).text();
    const titles = [...atom.matchAll(/<title type="text">([^<]*)<\/title>/g)]
      .slice(1)
      .map(([, title = '']) =>
        title.replace(
          /&(lt|gt|quot|#39|amp);/g,
          (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name] ?? '',
        ),
      );
    expect(titles).toEqual(names);
  });

  it('keeps badges well-formed', async () => {
    for (const slug of slugs) {
      const badge = await (await site.html(`/bots/${slug}/badge.svg`)).text();
      expect(badge.length).toBeLessThanOrEqual(1_024);
      expect(badge.match(/<(?!\/?(svg|title|clipPath|rect|g|text)[\s>/])/g)).toBeNull();
    }
  });

  describe('in a browser', () => {
    let browser: Browser;
    let page: Page;
    let wrong: string[];
    beforeAll(async () => {
      browser = await startBrowser(site.hosts);
      page = await (await openContext(browser)).newPage();
      wrong = watch(page, site.url);
    });
    afterAll(() => browser.close());

    itInBrowser('is text on every page, and nothing runs', async () => {
      for (const path of [
        '/',
        '/?q=%3Cscript%3Ealert(1)%3C/script%3E',
        '/webhooks',
        ...slugs.map((slug) => `/bots/${slug}`),
      ]) {
        await page.goto(`${site.url}${path}`);
        expect(await page.title()).toMatch(/Bot Directory$/);
        expect(await page.locator('img, iframe, object, embed, base, main script, main style').count()).toBe(0);
        const leads = await page.evaluate(`[...document.links].map(({ protocol }) => protocol)`);
        expect(new Set(leads as string[])).toEqual(new Set(['http:']));
      }
      expect(wrong).toEqual([]);
    });

    itInBrowser('is shown as it is', async () => {
      for (const [i, slug] of slugs.entries()) {
        await page.goto(`${site.url}/bots/${slug}`);
        const { name } = (await site.get<{ name: string }>(`/api/bots/${slug}`)).body;
        expect([i, await page.locator('h1').textContent()]).toEqual([i, name]);
      }
    });

    itInBrowser('could do nothing if it got into a page', async () => {
      await page.goto(`${site.url}/bots/plain`);
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
        image.src = 'https://evil.example/x.png';
        return new Promise((resolve) => setTimeout(() => resolve({ outcome, violations, ran: window.ran === true,
          isShown: getComputedStyle(document.querySelector('main')).display !== 'none' }), 100));
      })()`);
      expect(tried).toMatchObject({
        outcome: { innerHTML: 'refused', script: 'refused', 'document.write': 'refused' },
        ran: false,
        isShown: true,
      });
      expect((tried as { violations: string[] }).violations).toEqual(
        expect.arrayContaining(['style-src-elem', 'img-src']),
      );
    });

    itInBrowser('installs with the provider named in the policy, and not without', async () => {
      await page.goto(`${site.url}/bots/plain`);
      await page.getByRole('button', { name: 'Install' }).click();
      await page.waitForURL('https://templates.example.com/bot/*');
      await page.goto(`${site.url}/about`);
      const refused = page.evaluate(`new Promise((resolve) => {
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
        const form = document.createElement('form');
        form.method = 'post';
        form.action = '/bots/plain/install';
        document.body.append(form);
        form.submit();
      })`);
      expect(await refused).toBe('form-action');
    });
  });
});
