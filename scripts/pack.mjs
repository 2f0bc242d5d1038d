/**
 * `npm run pack:server -- <folder>`: installs by the lockfile, builds, and writes the service with everything that it
 * needs at run time to a folder. The image is made from it, and so is an installation without containers.
 */
import './require-node.mjs';
import { join, resolve } from 'node:path';
import { run } from './child.mjs';
import { buildToRun, installToRun, root } from './pnpm.mjs';

const [folder] = process.argv.slice(2);
const server = '@bot-directory/server';

if (folder === undefined) {
  console.error('Say where to: npm run pack:server -- <folder>');
  process.exitCode = 1;
} else {
  process.exitCode =
    (await installToRun([server])) ||
    (await buildToRun([server])) ||
    (await run(process.execPath, [join(root, 'deploy/src/pack-server.mjs'), resolve(folder)]));
}
