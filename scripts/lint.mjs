/**
 * oxlint over all packages at once, or over the paths given, after a build: a part of `npm run lint`. With
 * `--without-checks` or `--only-checks`, see `packages`.
 */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { packages, root } from './pnpm.mjs';

const [word = '.', ...others] = process.argv.slice(2);
const ofChecks = () =>
  packages()
    .filter((one) => one.ofChecks)
    .map(({ path }) => relative(root, path));
const pathsOf = () => {
  if (word === '--only-checks') return ofChecks();
  return word === '--without-checks'
    ? [...ofChecks().map((path) => `--ignore-pattern=/${path}/`), '.']
    : [word, ...others];
};
const args = [join(root, 'node_modules/oxlint/bin/oxlint'), '--config', 'oxlint.config.js', ...pathsOf()];
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
