/** oxlint over all packages at once, or over the paths given, after a build: a part of `npm run lint`. */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

const paths = process.argv.length > 2 ? process.argv.slice(2) : ['.'];
const args = [join(root, 'node_modules/oxlint/bin/oxlint'), '--config', 'oxlint.config.js', ...paths];
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
