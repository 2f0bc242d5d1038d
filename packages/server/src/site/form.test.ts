import { expect, it } from 'vitest';
import { fieldOf, isSameOrigin, namesOf } from './form.ts';

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

it('what was pasted loses what is not seen at its ends', () => {
  const typed = new URLSearchParams({
    link: '\u202ahttps://a.example/bot/x\u202c\n',
    names: '\u200bslack\u2060, \u200b,gmail',
  });
  expect(fieldOf(typed, 'link')).toBe('https://a.example/bot/x');
  expect(namesOf(typed, 'names')).toEqual(['slack', 'gmail']);
});
