/** `npm run build`: installs and builds, on a machine that only has npm. */
import './require-node.mjs';
import { install, turbo } from './pnpm.mjs';

process.exitCode = (await install()) || (await turbo('build'));
