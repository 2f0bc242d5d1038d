/**
 * Writes a folder per subpath of the package in the working directory, for tools that do not know `exports`: webpack 4,
 * browserify, Metro before 0.82 and eslint-plugin-import look for `<package>/<subpath>/package.json`. Each file says
 * what `exports` says. Run by the packages' build scripts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const [subpath, conditions] of Object.entries(exports)) {
  if (conditions.require === undefined || subpath === '.') continue;
  const up = (/** @type {string} */ path) => path.replace('./', '../');
  const folder = {
    main: up(conditions.require.default),
    module: up(conditions.import.default),
    types: up(conditions.require.types),
    sideEffects: false,
  };
  mkdirSync(subpath, { recursive: true });
  writeFileSync(`${subpath}/package.json`, `${JSON.stringify(folder, null, 2)}\n`);
}
