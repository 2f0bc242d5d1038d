import { expect, it } from 'vitest';
import { drawingOf, letterOf, type Drawing } from './drawing.ts';

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

/** Slugs that differ in little. */
const slugs = Array.from({ length: 400 }, (_, n) => `weekly-report-${String(n)}`);
const drawings = slugs.map(drawingOf);

it('uses all tones, patterns and turns', () => {
  const different = (part: keyof Drawing): number => new Set(drawings.map((one) => one[part])).size;
  expect((['ground', 'ink', 'shape', 'turn'] as const).map(different)).toEqual([8, 8, 8, 4]);
  for (const { ground, ink } of drawings) expect(ground).not.toBe(ink);
});

it('gives 400 bots covers of which no two neighbours look alike', () => {
  const alike = drawings.filter((one, i) => {
    const next = drawings[i + 1];
    return next !== undefined && Object.entries(one).every(([part, value]) => next[part as keyof Drawing] === value);
  });
  expect(alike).toEqual([]);
});
