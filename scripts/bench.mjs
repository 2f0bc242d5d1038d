/** `npm run bench:<name> -- <options>`: installs, builds, and runs a benchmark of `bench/` on a Redis of its own. */
import './require-node.mjs';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, pnpm, turbo } from './pnpm.mjs';

const [name = '', ...options] = process.argv.slice(2);
const code = (await install()) || (await turbo('build'));
if (code === 0) await findOrInstallRedis();
process.exitCode = code || (await pnpm(['--silent', '--filter', '@bot-directory/bench', 'run', name, ...options]));
