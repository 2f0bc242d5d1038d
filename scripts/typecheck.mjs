/**
 * `npm run typecheck`: checks the types of all packages at once, after a build. The native compiler needs a sixth of
 * the time of TypeScript 6, which the bundler of declarations still uses.
 */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packages, root } from './pnpm.mjs';

const compiler = join(root, 'packages/tooling/node_modules/typescript-7/bin/tsc');
const projects = [...packages().map(({ path }) => path), join(root, 'packages/server/test/site')].filter((path) =>
  existsSync(join(path, 'tsconfig.json')),
);
// More checkers or builders check some things twice, and take more memory.
const args = [compiler, '-b', '--builders', '2', '--checkers', '1', '--incremental', ...projects];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
