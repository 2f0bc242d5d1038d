/** ESLint over all packages at once, after a build: a part of `npm run lint`. */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

const args = ['--max-old-space-size=4096', join(root, 'node_modules/eslint/bin/eslint.js'), '.'];
const env = { ...process.env, LINT_ALL: '1' };
process.exitCode = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
