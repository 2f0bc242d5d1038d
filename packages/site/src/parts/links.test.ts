import { expect, it } from 'vitest';
import { asHttps } from './links.ts';

it.each([
  ['x.com/ada/status/1', 'https://x.com/ada/status/1'],
  [' mobile.twitter.com/ada/status/1?s=20 ', 'https://mobile.twitter.com/ada/status/1?s=20'],
  ['HTTP://bots.example.com/bot/a', 'https://bots.example.com/bot/a'],
  ['bots.example.com:8443/bot/a', 'https://bots.example.com:8443/bot/a'],
  ['https://x.com/ada/status/1', 'https://x.com/ada/status/1'],
  ['javascript:alert(1)/', 'javascript:alert(1)/'],
  ['ftp://x.com/a', 'ftp://x.com/a'],
  ['a report/b', 'a report/b'],
  ['', ''],
])('reads %j as %j', (pasted, link) => expect(asHttps(pasted)).toBe(link));
