/**
 * `npm run typecheck`: checks the types of all packages at once, after a build. The native compiler needs a sixth of
 * the time of TypeScript 6, which the bundler of declarations still uses. Packages with the same options are one
 * program: many import the server's sources, and each program checks all of its files. With `--without-checks` or
 * `--only-checks`, see `packages`.
 */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages, root } from './pnpm.mjs';

const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
const folder = join(root, 'node_modules/.cache/typecheck');

/** @param {string} text */
const withoutComments = (text) => text.replaceAll(/^ *\/\/.*$/gm, '');

/** @type {Map<string, { extends: string, include: string[], exclude: string[] }>} */
const programs = new Map();
for (const { path, ofChecks } of packages()) {
  if (process.argv.includes(ofChecks ? '--without-checks' : '--only-checks')) continue;
  const file = join(path, 'tsconfig.json');
  if (!existsSync(file)) continue;
  const { compilerOptions, include, exclude = [], ...rest } = JSON.parse(withoutComments(readFileSync(file, 'utf8')));
  const options = JSON.stringify([join(path, rest.extends), compilerOptions]);
  const program = programs.get(options) ?? { extends: file, include: [], exclude: [] };
  for (const name of include) program.include.push(join(path, name));
  for (const name of exclude) program.exclude.push(join(path, name));
  programs.set(options, program);
}

const projects = [...programs.values()].map((program, index) => {
  const project = join(folder, String(index));
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(program));
  return project;
});
// More checkers or builders check some things twice, and take more memory.
const args = [compiler, '-b', '--builders', '2', '--checkers', '1', '--incremental', ...projects];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
