/**
 * `npm run typecheck`, and the ESLint part of `npm run lint`: runs a task of turbo.json on a machine that only has npm.
 */
import './require-node.mjs';
import { turbo } from './pnpm.mjs';

const [task = '', ...options] = process.argv.slice(2);
process.exitCode = await turbo(task, options);
