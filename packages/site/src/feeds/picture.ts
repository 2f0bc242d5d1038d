/** The picture that other sites show with a link to a bot, as SVG: its cover, name, author and integrations. */
import type { Bot } from '@bot-directory/contract';
import { markOf } from '../parts/integration-names.ts';
import { drawingOf, letterOf } from '../parts/drawing.ts';
import { graphemesOf } from '../parts/words.ts';
import type { NameIntegration } from '../views.ts';
import { cutToWidth, widthOf } from './width.ts';
import { xml } from './xml.ts';

/** All that it depends on. `styles` and `icon` are the texts of those assets: its colours are theirs, in light. */
export type PictureOf = {
  readonly bot: Pick<Bot, 'slug' | 'name' | 'author' | 'integrations'>;
  readonly siteName: string;
  readonly integrationName: NameIntegration;
  readonly styles: string;
  readonly icon: string;
};

const width = 1_200;
const height = 630;
const margin = 80;
const room = width - 2 * margin;

/**
 * The sizes of a name in pixels, and its most lines in each: the first in which it fits, otherwise the last, cut off.
 */
const sizes = [
  { size: 84, most: 2 },
  { size: 66, most: 3 },
] as const;

/** Converts a width at this size to one of 11-pixel letters, as `widthOf` measures. */
const ofSize = (pixels: number, size: number): number => (pixels * 11) / size;

/** Breaks a text into lines. A word that is longer than a line is broken, as is text without spaces. */
const linesOf = (text: string, most: number): string[][] => {
  const lines: string[][] = [[]];
  const fits = (letters: readonly string[]): boolean => widthOf([...(lines.at(-1) ?? []), ...letters]) <= most;
  for (const word of text.split(/\s+/)) {
    const letters = graphemesOf(word);
    const isFirst = lines.at(-1)?.length === 0;
    if (!isFirst && fits([' ', ...letters])) lines.at(-1)?.push(' ', ...letters);
    else {
      if (!isFirst) lines.push([]);
      for (const letter of letters) {
        if (!fits([letter])) lines.push([]);
        lines.at(-1)?.push(letter);
      }
    }
  }
  return lines;
};

const linesOfName = (name: string): { size: number; lines: string[] } => {
  const linesIn = (size: number): string[][] => linesOf(name, ofSize(room, size));
  const { size, most } = sizes.find((one) => linesIn(one.size).length <= one.most) ?? sizes[1];
  const lines = linesIn(size);
  const last = cutToWidth(lines.slice(most - 1).flat(), ofSize(room, size));
  return { size, lines: [...lines.slice(0, most - 1), last].map((letters) => letters.join('')) };
};

type Look = { readonly size: number; readonly fill: string };

const text = (words: string, x: number, y: number, { size, fill }: Look): string =>
  `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}">${xml(words)}</text>`;

/** Returns the light one of a rule's two colours. */
const colour = (styles: string, rule: RegExp): string =>
  new RegExp(`${rule.source}\\s*var\\(--light,(#\\w+)`).exec(styles)?.[1] ?? '#000';

const footSize = 30;
const markSize = 34;
const footY = 556;

/** Draws the first integrations, as many as fit, at the right. */
const integrationsOf = ({ bot: { integrations }, integrationName }: PictureOf, from: number, fill: string): string => {
  const shown: { slug: string; name: string; size: number }[] = [];
  let left = width - margin - from;
  for (const slug of integrations) {
    const name = integrationName(slug);
    const size = (widthOf(graphemesOf(name)) * footSize) / 11 + (markOf(slug) === undefined ? 0 : markSize + 12) + 36;
    if (size > left) break;
    left -= size;
    shown.push({ slug, name, size });
  }
  let x = width - margin - shown.reduce((sum, { size }) => sum + size, 0) + 36;
  return shown
    .map(({ slug, name, size }) => {
      const at = x;
      const mark = markOf(slug);
      x += size;
      if (mark === undefined) return text(name, at, footY, { size: footSize, fill });
      const drawn = `<path transform="translate(${at} ${footY - 28}) scale(${markSize / 24})" fill="${fill}" d="${mark}"/>`;
      return drawn + text(name, at + markSize + 12, footY, { size: footSize, fill });
    })
    .join('');
};

/** Draws the cover, as the styles do on a page. */
const coverOf = ({ slug, name }: PictureOf['bot'], styles: string): string => {
  const { ground, ink, shape, turn } = drawingOf(slug);
  const hueOf = (tone: number): string => new RegExp(`\\.tone-${tone}\\{--hue:(\\d+)`).exec(styles)?.[1] ?? '0';
  const wash = `hsl(${hueOf(ground)},70%,93%)`;
  const letter = `hsl(${hueOf(ground)},60%,26%)`;
  return `<clipPath id="c"><rect width="128" height="128" rx="34"/></clipPath><g transform="translate(${margin} 72)" clip-path="url(#c)"><rect width="128" height="128" fill="${wash}"/><path transform="scale(16) rotate(${turn} 4 4)" fill="hsl(${hueOf(ink)},60%,68%)" fill-rule="evenodd" d="${shape}"/><rect x="68" y="68" width="80" height="80" rx="20" fill="${wash}"/><text x="98" y="114" font-size="46" text-anchor="middle" fill="${letter}">${xml(letterOf(name))}</text></g>`;
};

/** Draws the picture, 1,200 by 630 pixels. */
export const botPicture = (of: PictureOf): string => {
  const { bot, siteName, styles, icon } = of;
  const { name, author } = bot;
  const { size, lines } = linesOfName(name);
  const [paper, ink, soft, line] = ['--paper:', '--ink:', '--soft:', '--line:'].map((token) =>
    colour(styles, new RegExp(token)),
  ) as [string, string, string, string];
  const lineHeight = size * 1.16;
  const first = 222 + size;
  const title = cutToWidth(graphemesOf(siteName), ofSize(420, footSize)).join('');
  const titleEnd = margin + 60 + (widthOf(graphemesOf(title)) * footSize) / 11;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-weight="600"><rect width="${width}" height="${height}" fill="${paper}"/>${coverOf(bot, styles)}${lines.map((words, i) => text(words, margin, first + i * lineHeight, { size, fill: ink })).join('')}${author === null ? '' : text(author, margin + 156, 149, { size: 38, fill: soft })}<rect x="${margin}" y="496" width="${room}" height="2" fill="${line}"/>${icon.replace('<svg ', `<svg x="${margin - 6}" y="518" width="56" height="56" `)}${text(title, margin + 60, footY, { size: footSize, fill: ink })}${integrationsOf(of, titleEnd, soft)}</svg>`;
};
