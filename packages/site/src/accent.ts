/** An operator's own colour: it is checked for contrast, and the few colours that go with it are derived. */
import { assets } from './assets.ts';

type Rgb = readonly [red: number, green: number, blue: number];

/** The result of checking an accent, with the reason if it was refused. */
export type AccentCheck = { readonly ok: true } | { readonly ok: false; readonly why: string };

const leastContrast = 4.5;
const paper: Rgb = [0xfb, 0xfa, 0xf7];
const darkPaper: Rgb = [0x13, 0x15, 0x12];
const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];

const rgbOf = (hex: string): Rgb => {
  const part = (at: number): number => parseInt(hex.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};
const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
const mixed = (one: Rgb, other: Rgb, share: number): Rgb => {
  const part = (i: 0 | 1 | 2): number => one[i] * (1 - share) + other[i] * share;
  return [part(0), part(1), part(2)];
};

/** Returns the relative luminance, as WCAG defines it. */
const luminance = (rgb: Rgb): number => {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** Returns the contrast of two colours, from 1 to 21. */
const contrast = (one: Rgb, other: Rgb): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

/** Returns the first mix towards a colour that has enough contrast with each background. */
const until = (from: Rgb, towards: Rgb, isEnough: (rgb: Rgb) => boolean): Rgb => {
  for (let share = 0; share < 1; share += 0.02) {
    const rgb = mixed(from, towards, share);
    if (isEnough(rgb)) return rgb;
  }
  return towards;
};

const tonesOf = (accent: Rgb) => {
  const wash = mixed(accent, paper, 0.9);
  const dark = until(accent, white, (rgb) => contrast(rgb, darkPaper) >= 8);
  return {
    accent: [accent, dark],
    'accent-hover': [mixed(accent, black, 0.22), mixed(dark, white, 0.3)],
    'on-accent': [white, mixed(dark, black, 0.84)],
    wash: [wash, mixed(dark, darkPaper, 0.86)],
  } as const;
};

/**
 * Checks whether `#rrggbb` works as text and as a button on the light background. The dark variant is derived from it.
 */
export const checkAccent = (hex: string): AccentCheck => {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) return { ok: false, why: 'must be a colour shaped #0b6b4b' };
  const accent = rgbOf(hex);
  const { wash } = tonesOf(accent);
  const least = Math.min(contrast(accent, wash[0]), contrast(accent, paper), contrast(accent, white));
  return least >= leastContrast
    ? { ok: true }
    : {
        ok: false,
        why: `has a contrast of ${least.toFixed(1)} to the pages' ground; choose a darker colour, with ${leastContrast} or more`,
      };
};

/** Makes the files that depend on an accent. */
export const accentedTexts = (hex: string): { readonly name: 'site.css' | 'icon.svg'; readonly text: string }[] => {
  const tones = Object.entries(tonesOf(rgbOf(hex)));
  const rules = tones.map(
    ([name, [light, dark]]) => `--${name}:var(--light,${hexOf(light)})var(--dark,${hexOf(dark)})`,
  );
  const text = (name: string): string =>
    new TextDecoder().decode(assets.find((asset) => asset.name === name)?.body ?? new Uint8Array());
  return [
    { name: 'site.css', text: `${text('site.css')}:root{${rules.join(';')}}` },
    { name: 'icon.svg', text: text('icon.svg').replace('#0b6b4b', hex) },
  ];
};
