/** Whether published files are written in a language that is old enough. */
import { parse } from 'acorn';
import type { PackedPackage } from './packed-package.ts';

/** The language in which each package's files are published. A test parses every file as that. */
export const ecmaVersions = { sdk: 2019, receiver: 2022 } as const;

/** Lists the syntax in the package's scripts that is newer than this ECMAScript, per file; empty if none is. */
export const tooNew = ({ files }: Pick<PackedPackage, 'files'>, ecmaVersion: 2019 | 2022): string[] =>
  [...files].flatMap(([path, text]) => {
    if (!/\.c?js$/.test(path)) return [];
    try {
      parse(text, { allowHashBang: true, ecmaVersion, sourceType: path.endsWith('.cjs') ? 'script' : 'module' });
      return [];
    } catch (error) {
      return [`${path}: ${String(error)}`];
    }
  });
