/**
 * `pnpm confusables <file>`: reads the look-alike characters of UTS #39 from Unicode's `confusables.txt`
 * (https://www.unicode.org/Public/security/latest/confusables.txt). Only letters, digits and marks that NFKD leaves
 * whole are kept: nothing else is left in the words that are compared.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { formatted } from './formatted.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file: pnpm confusables confusables.txt');
const source = readFileSync(file, 'utf8');
const version = /^# Version: (\S+)/m.exec(source)?.[1];
if (version === undefined) throw new Error(`${file} has no version`);

const groups = new Map<string, string[]>();
for (const [, from = '', to = ''] of source.matchAll(/^([0-9A-F]+) ;\t([0-9A-F ]+) ;/gm)) {
  const character = String.fromCodePoint(Number.parseInt(from, 16));
  if (!/[\p{L}\p{M}\p{N}]/u.test(character) || character.normalize('NFKD') !== character) continue;
  const look = to.toLowerCase().replaceAll(/\b0+/g, '');
  groups.set(look, [...(groups.get(look) ?? []), from.toLowerCase().replace(/^0+/, '')]);
}
const lines = [...groups].map(([look, characters]) => `${look}: ${characters.join(' ')}`);
const target = new URL('../../packages/server/src/domain/confusables.gen.ts', import.meta.url);
const text = `/** Made by \`pnpm confusables\` from UTS #39, version ${version} (© Unicode, Inc., Unicode License v3). Do not edit. */

/** Code points, in hexadecimal: what characters look like, and these characters, a line each. */
export const confusables = \`
${lines.join('\n')}
\`;
`;
writeFileSync(target, await formatted(target.pathname, text));
