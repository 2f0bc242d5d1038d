import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reportFiles } from './files.ts';

test('docs are what the results make: npm run bench report', async () => {
  for (const { path, text } of await reportFiles()) expect(readFileSync(path, 'utf8'), path).toBe(text);
});

test('the same results give the same bytes', async () => {
  expect(await reportFiles()).toEqual(await reportFiles());
});

test('plots are small, and know light and dark', async () => {
  for (const { path, text } of await reportFiles()) {
    if (!path.endsWith('.svg')) continue;
    expect(text.length, path).toBeLessThan(40_000);
    expect(text).toContain('prefers-color-scheme:dark');
    for (const [words] of text.matchAll(/<text[^>]*>/g)) expect(words).toContain('fill="var(--t)"');
    expect(text, 'a line in a colour of its own').not.toMatch(/stroke="(?:#|rgb)[^"]*" stroke-width="[1-9]/);
  }
});
