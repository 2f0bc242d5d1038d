import { expect, it } from 'vitest';
import { isSameOrigin } from './form.ts';

const ours = 'https://bots.example.com';

it.each([
  ['same-origin', undefined, true],
  ['same-origin', 'https://evil.example', true],
  ['same-site', ours, false],
  ['cross-site', ours, false],
  ['none', ours, false],
  [undefined, ours, true],
  [undefined, 'https://bots.example.com:8443', false],
  [undefined, 'http://bots.example.com', false],
  [undefined, 'null', false],
  [undefined, undefined, false],
])('Sec-Fetch-Site %s with Origin %s: %s', (secFetchSite, origin, expected) => {
  expect(isSameOrigin({ secFetchSite, origin }, `${ours}/directory`)).toBe(expected);
});
