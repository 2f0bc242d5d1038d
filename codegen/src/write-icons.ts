/** `pnpm icons`: copies the icons that the pages use out of lucide-static into typed components, once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { formatted } from './formatted.ts';

const used = {
  arrowLeft: 'arrow-left',
  arrowRight: 'arrow-right',
  book: 'book-open',
  check: 'check',
  copy: 'copy',
  download: 'download',
  external: 'external-link',
  flag: 'flag',
  link: 'link',
  moon: 'moon',
  monitor: 'monitor',
  plus: 'plus',
  radio: 'radio-tower',
  search: 'search',
  send: 'send',
  sun: 'sun',
  warning: 'triangle-alert',
  x: 'x',
  rss: 'rss',
} as const;

const icons = dirname(createRequire(import.meta.url).resolve('lucide-static/package.json'));
const target = new URL('../../packages/site/src/parts/icons.gen.tsx', import.meta.url);

/** The shapes inside an icon's `<svg>`. */
const shapesOf = (name: string): string => {
  const svg = readFileSync(join(icons, 'icons', `${name}.svg`), 'utf8');
  const inside = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(svg)?.[1];
  if (inside === undefined) throw new Error(`${name} has no shapes`);
  return inside.trim();
};

const entries = Object.entries(used).map(([key, name]) => `  ${key}: () => <>${shapesOf(name)}</>,`);
const source = `/** Made by \`pnpm icons\` from lucide-static (ISC licence, https://lucide.dev/license). Do not edit. */

export const icons = {
${entries.join('\n')}
};
`;
writeFileSync(target, await formatted(target.pathname, source));
