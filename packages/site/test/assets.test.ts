/** What the build makes: a module without imports, and files named by what is in them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { accentedTexts, assets, checkAccent } from '@bot-directory/site';

it('is one module without imports', () => {
  const module = readFileSync(new URL('../dist/index.js', import.meta.url), 'utf8');
  const lines = module.split('\n').filter((line) => /^(import|export \* from)\b/.test(line));
  // The code that the webhooks page shows begins a line with `import`, too.
  expect(lines.filter((line) => !line.includes('@bot-directory/webhook-receiver'))).toEqual([]);
});

it.each(assets.map((asset) => [asset.name, asset] as const))('%s is named by its bytes', (name, asset) => {
  const hash = createHash('sha256').update(asset.body).digest('base64url').replace(/[-_]/g, '').slice(0, 10);
  expect(asset.path).toBe(`/assets/${name.replace('.', `-${hash}.`)}`);
  if (asset.brotli !== undefined) expect(brotliDecompressSync(asset.brotli).equals(asset.body)).toBe(true);
});

it.each([
  ['site.css', 5 * 1_024],
  ['site.js', 1.75 * 1_024],
  ['docs.css', 1.5 * 1_024],
  ['docs.js', 1_024],
  ['forms.js', 1.25 * 1_024],
])('%s takes at most its share of bytes', (name, most) => {
  const { brotli } = assets.find((asset) => asset.name === name) ?? {};
  expect(brotli?.length).toBeGreaterThan(0);
  expect(brotli?.length).toBeLessThanOrEqual(most);
});

it.each([
  ['#0b6b4b', true],
  ['#1d4f91', true],
  ['#000000', true],
  ['#ffcc00', false],
  ['#888888', false],
  ['green', false],
  ['#0b6b4b80', false],
])('takes %s for an accent: %s', (colour, ok) => expect(checkAccent(colour).ok).toBe(ok));

it('puts an accent into the style and the icon', () => {
  const [styles, icon] = accentedTexts('#1d4f91');
  expect(styles?.text).toMatch(/--accent:var\(--light,#1d4f91\)var\(--dark,#[0-9a-f]{6}\)/);
  expect(icon?.text).toContain('#1d4f91');
  expect(icon?.text).not.toContain('#0b6b4b');
});
