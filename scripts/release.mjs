/**
 * `npm run release`: what a release would be, and whether it may be; nothing leaves this machine. With `--publish`, as
 * CI runs it, it is published when all holds. Versions come from the changesets (`npm run release:version`).
 */
import './require-node.mjs';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, pnpm, turbo } from './pnpm.mjs';

const isReal = process.argv.includes('--publish');

const release = async () => {
  const code = (await install()) || (await turbo('build'));
  if (code !== 0) return code;
  await findOrInstallRedis();
  const refused = await pnpm(['exec', 'tsx', 'deploy/src/check-release.ts']);
  if (refused !== 0 || !isReal) return refused;
  return pnpm(['exec', 'changeset', 'publish']);
};

process.exitCode = await release();
if (process.exitCode === 0 && !isReal) console.log('That was a dry run: nothing was published.');
