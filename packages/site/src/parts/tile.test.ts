import { expect, it } from 'vitest';
import { letterOf, toneOf } from './tile.tsx';

it.each([
  ['weekly report', 'W'],
  ['  “élan”', 'É'],
  ['3D printer', '3'],
  ['مرحبا', 'م'],
  ['🤖 robot', '🤖'],
  ['👨‍👩‍👧‍👦 family', '👨‍👩‍👧‍👦'],
  ['🇩🇪 flag', '🇩🇪'],
  ['!!!', '•'],
  ['', '•'],
])('the letter of %s is %s', (name, letter) => expect(letterOf(name)).toBe(letter));

it('spreads slugs over all tones', () => {
  const tones = new Set(Array.from({ length: 200 }, (_, n) => toneOf(`bot-${n}`)));
  expect([...tones].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});
