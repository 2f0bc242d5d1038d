/**
 * `pnpm pictures`: draws what is shared of a page (og.png, without words: the name is the operator's), favicon.ico
 * and the icon of a phone's home screen.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '@bot-directory/testing/chromium';
import { drawingOf } from '../../packages/site/src/parts/drawing.ts';

const source = (name: string): string => fileURLToPath(new URL(`../../packages/site/src/${name}`, import.meta.url));
const styles = readFileSync(source('site.css'), 'utf8');
const mark = readFileSync(source('icon.svg'), 'utf8');
const letters = 'WPRIMLSCEOTANBDFGHKVQZ';

const coverOf = (letter: string): string => {
  const { ground, ink, shape, turn } = drawingOf(letter);
  const drawn = `<svg class="tone-${ink}" viewBox="0 0 8 8"><path transform="rotate(${turn} 4 4)" d="${shape}"/></svg>`;
  return `<div class="cover tone-${ground}" data-letter="${letter}">${drawn}</div>`;
};

const shelf = letters
  .split('')
  .slice(0, 21)
  .map((letter, i) => (i === 10 ? `<div class="us">${mark}</div>` : coverOf(letter)))
  .join('');
const ownStyles = `
  body { display: grid; grid-template-columns: repeat(7, 132px); gap: 28px; place-content: center; width: 1200px; height: 630px; }
  .cover { width: 132px; height: 132px; border-radius: 34px; font: 700 44px 'DejaVu Sans', sans-serif; }
  .us svg { display: block; width: 132px; height: 132px; transform: scale(1.28); }`;

const browser = await chromium.launch(chromiumOptions());
const page = await browser.newPage({ viewport: { width: 1200, height: 630 }, colorScheme: 'light' });
await page.setContent(`<!doctype html><style>${styles}${ownStyles}</style><body>${shelf}`);
writeFileSync(source('og.png'), await page.screenshot());

await page.setViewportSize({ width: 32, height: 32 });
await page.setContent(`<!doctype html><style>body{margin:0}svg{width:32px;height:32px;display:block}</style>${mark}`);
const png = await page.screenshot({ omitBackground: true });

// Phones draw no transparency, and cut the corners themselves.
await page.setViewportSize({ width: 180, height: 180 });
await page.setContent(
  `<!doctype html><style>body{margin:0;background:#fbfaf7}svg{width:148px;margin:16px;display:block}</style>${mark}`,
);
writeFileSync(source('apple-touch-icon.png'), await page.screenshot());
await browser.close();

// One picture of 32 by 32, as PNG, behind the head and the one entry of an ICO file.
const head = Buffer.alloc(22);
head.writeUInt16LE(1, 2);
head.writeUInt16LE(1, 4);
head.writeUInt8(32, 6);
head.writeUInt8(32, 7);
head.writeUInt16LE(1, 10);
head.writeUInt16LE(32, 12);
head.writeUInt32LE(png.length, 14);
head.writeUInt32LE(head.length, 18);
writeFileSync(source('favicon.ico'), Buffer.concat([head, png]));
