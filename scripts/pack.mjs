/**
 * `npm run pack:server -- <folder>`: installs by the lockfile, builds, and writes the service with everything that it
 * needs at run time to a folder. The image is made from it, and so is an installation without containers.
 */
import './require-node.mjs';
import { resolve } from 'node:path';
import { install, pnpm, turbo } from './pnpm.mjs';

const [folder] = process.argv.slice(2);
const packer = '--filter=@bot-directory/deploy...';

if (folder === undefined) {
  console.error('Say where to: npm run pack:server -- <folder>');
  process.exitCode = 1;
} else {
  process.exitCode =
    (await install(['--filter=.', packer])) ||
    (await turbo('build', [packer])) ||
    (await pnpm(['exec', 'node', 'deploy/src/pack-server.mjs', resolve(folder)]));
}
