import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findableWords, findsWord, searchWords, wordsOf } from './search.ts';

const finds = (query: string, ...parts: string[]): boolean =>
  searchWords(query).every((word) => findsWord(findableWords(parts.join(' ')), word));

describe('search', () => {
  it.each([
    ['inbox', 'Inbox Triage'],
    ['TRI inb', 'Inbox Triage'],
    ['cafe', 'Café au lait'],
    ['naïve', 'Naive Bayes'],
    ['google sheets', 'google-sheets'],
    ['１２', 'Agent 12'],
    ['数据', '大数据助手'],
    ['日記', 'パパの日記'],
    ['달력', '구글달력'],
    ['일정', '회의일정을 정리'],
    ['पिता', 'पिताजी का बॉट'],
    ['เวลา', 'จองเวลาประชุม'],
    ['inbox', 'in\u200dbox'],
    ['lodz strasse', 'Łódź Straße'],
    ['dordevic', 'Đorđević'],
    ['smorrebrod oeuvre', 'Smørrebrød Œuvre'],
    ['istanbul kirik', 'İstanbul Kırık'],
    ['ΟΔΟΣ', 'οδός'],
    ['οδοσ', 'ΟΔΟΣ'],
    ['c++', 'Reviews C++ code'],
    ['C#', 'For C#.'],
    ['.net', 'A .NET helper'],
    ['net', 'A .NET helper'],
    ['node.js', 'Node.js'],
    ['c', 'C++'],
    ['a+b', 'b a'],
    ['#1', '1st'],
  ])('%j finds %j', (query, text) => {
    expect(finds(query, text)).toBe(true);
  });

  it.each([
    ['box', 'Inbox Triage'],
    ['inbox mail', 'Inbox Triage'],
    ['triagee', 'Inbox Triage'],
    ['c++', 'Cooks, C and C#'],
    ['c#', 'Cooks, C and C++'],
    ['.net', 'Network of nets.Net'],
    ['ハハ', 'パパの日記'],
    ['पता', 'पिता'],
    ['가', '각국의 뉴스'],
    ['มา', 'ม้า'],
  ])('%j does not find %j', (query, text) => {
    expect(finds(query, text)).toBe(false);
  });

  it('finds every text by each of its own words', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => finds(text, 'before', text, 'after')));
  });

  it('never joins the words of two parts', () => {
    expect(finds('onetwo', 'one', 'two')).toBe(false);
  });

  it('reads ASCII, which takes a faster path, like any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(wordsOf(text)).toEqual(wordsOf(`${text} é`).slice(0, -1));
      }),
    );
  });
});
