/**
 * `npm run bench <name> -- <options>` and `npm run endurance <name> -- <options>`: installs, builds, and runs a file of
 * `bench/` or `endurance/` on a Redis of its own. Without a name it lists the names.
 */
import './require-node.mjs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, pnpm, root, turbo } from './pnpm.mjs';

const [folder = '', name = '', ...options] = process.argv.slice(2);
const names = readdirSync(join(root, folder))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.config.ts'))
  .map((file) => file.slice(0, -'.ts'.length));

const run = async () => {
  const code = (await install()) || (await turbo('build'));
  if (code !== 0) return code;
  await findOrInstallRedis();
  return pnpm(['--silent', '--dir', folder, 'exec', 'tsx', `${name}.ts`, ...options]);
};

if (names.includes(name)) {
  process.exitCode = await run();
} else {
  console.error(`npm run ${folder} <name> -- <options>, where the name is one of: ${names.join(', ')}`);
  process.exitCode = name === '' ? 0 : 1;
}
