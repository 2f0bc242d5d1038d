/**
 * `npm run screenshots` makes `docs/screenshots/`, and `npm run lighthouse` judges the pages: after a build, with a
 * Redis and a browser of this machine.
 */
import './require-node.mjs';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, pnpm, turbo } from './pnpm.mjs';

const code = (await install()) || (await turbo('build'));
if (code === 0) await findOrInstallRedis();
process.exitCode =
  code || (await pnpm(['--filter', '@bot-directory/check-pages', 'run', process.argv[2] ?? 'screenshots']));
