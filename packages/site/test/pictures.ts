/**
 * The pictures of docs/screenshots. Each is of a page with content that never changes, and carries the hash of that
 * page's HTML and style in a text chunk of its PNG.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { page } from '@bot-directory/site';
import type { View } from '../src/views.ts';
import { botOf, frame } from './samples.ts';
import { botView, submitView, views } from './views.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Where they are. */
export const pictureFolder = here('../../../docs/screenshots/');

const home = views['the home page'] as Extract<View, { page: 'directory' }>;
const webhooks = views['the webhooks page'] as Extract<View, { page: 'webhooks' }>;
const bots = Array.from({ length: 24 }, (_, n) => botOf(n));
const slugs = [...new Set(bots.flatMap(({ integrations }) => integrations))];
const event = { id: 'evt_01J9ZQ6V0X3M5B7C9D1F2G4H6J', type: 'bot.created', created_at: bots[1]?.created_at };

const categories = home.categories.map(({ name }) => ({
  name,
  count: bots.filter(({ categories: own }) => own.includes(name)).length,
}));

/** The pages. */
export const picturedViews = {
  home: {
    ...home,
    bots,
    total: 24,
    size: 24,
    next: undefined,
    integrations: slugs.map((slug) => ({ slug, count: bots.filter((one) => one.integrations.includes(slug)).length })),
    categories,
    shelves: {
      rows: home.shelves?.rows ?? [],
      categories: [...categories]
        .sort((a, b) => b.count - a.count)
        .slice(0, 6)
        .map((one) => ({ ...one, first: bots.filter(({ categories: own }) => own.includes(one.name)).slice(0, 3) })),
    },
  },
  bot: { ...botView, bot: { ...botOf(3), author: '@ada' } },
  submit: { ...submitView, preview: botOf(1), suggested: ['Engineering'] },
  webhooks: {
    ...webhooks,
    samples: { ...webhooks.samples, json: JSON.stringify({ ...event, data: bots[1] }, null, 2) },
  },
} as const satisfies Readonly<Record<string, View>>;

type Looks = readonly ['desktop' | 'phone', 'light' | 'dark'];

/** How they are pictured, in the same order. */
export const looksOf: Readonly<Record<keyof typeof picturedViews, readonly Looks[]>> = {
  home: [
    ['desktop', 'light'],
    ['desktop', 'dark'],
    ['phone', 'light'],
  ],
  bot: [
    ['desktop', 'light'],
    ['phone', 'dark'],
  ],
  submit: [['phone', 'light']],
  webhooks: [['desktop', 'light']],
};

/** The page that shows what a terminal shows. */
export const terminalPage = (text: string): string => `<!doctype html><title>Terminal</title><style>
  body { margin: 0; padding: 24px 28px; background: #131512; color: #eceee8; width: max-content }
  pre { margin: 0; font: 15px/1.6 ui-monospace, Menlo, Consolas, monospace }
</style><pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;

const hashOf = (...texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);

/** Lists the files, each with the hash that it must carry. That of a delivery names the subscriber that prints it. */
export const pictures = (): Readonly<Record<string, string>> => {
  const style = readFileSync(here('../src/site.css'), 'utf8');
  const subscriber = readFileSync(here('../../../examples/subscriber-express/src/main.ts'), 'utf8');
  const ofPages = Object.entries(looksOf).flatMap(([name, looks]) => {
    const view = picturedViews[name as keyof typeof picturedViews];
    return looks.map((look) => [`${name}-${look.join('-')}.png`, hashOf(page(frame, view), style)]);
  });
  return Object.fromEntries([...ofPages, ['delivery.png', hashOf(terminalPage(''), subscriber)]]);
};

/** The signature of a PNG and its first chunk, which has its size. */
const pngHead = 33;

/** A text chunk of a PNG. */
const carrying = (hash: string): Buffer => {
  const chunk = Buffer.from(`\0\0\0\0tEXtTaken from\0${hash}\0\0\0\0`, 'latin1');
  chunk.writeUInt32BE(chunk.length - 12, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
};

/** Returns a picture that carries a hash. */
export const withHash = (png: Buffer, hash: string): Buffer =>
  Buffer.concat([png.subarray(0, pngHead), carrying(hash), png.subarray(pngHead)]);

/** Returns the hash that a picture carries. */
export const hashIn = (png: Buffer): string | undefined =>
  /tEXtTaken from\0([0-9a-f]{16})/.exec(png.toString('latin1'))?.[1];
