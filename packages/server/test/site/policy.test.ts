/**
 * What a page is kept from doing, and that a stranger's text stays text in feeds and badges. `browser/policy.ts` tests
 * the same in a browser.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishHostile, startSite, type SiteUnderTest } from '@bot-directory/testing/site';

let site: SiteUnderTest;
beforeAll(async () => {
  site = await startSite();
  await site.publish('Plain');
});
afterAll(() => site.stop());

const policyOf = async (path: string): Promise<string | null> =>
  (await site.html(path)).headers.get('content-security-policy');
const policy = (formAction: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

it('lets forms redirect to the provider on bot pages only', async () => {
  expect(await policyOf('/bots/plain')).toBe(policy("'self' https://templates.example.com"));
  for (const path of ['/', '/submit', '/webhooks', '/docs', '/nothing'])
    expect(await policyOf(path)).toBe(policy("'self'"));
});

it('isolates pages, and shares what others may embed', async () => {
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
  for (const path of ['/', '/api/bots', '/api/none', '/healthz', '/api/openapi.json', '/robots.txt', '/api/events'])
    expect((await secure.html(path)).headers.get('strict-transport-security'), path).toBe('max-age=31536000');
  await secure.stop();
});

describe('a stranger’s text', () => {
  let slugs: string[];
  beforeAll(async () => {
    slugs = await publishHostile(site);
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
});
