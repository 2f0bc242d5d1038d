/** What a test takes that not every machine has. Without it the test is skipped, and the run's end names it. */
import { spawnSync } from 'node:child_process';
import { findProgram, program, type ProgramName } from '../../../scripts/programs.mjs';

declare module 'vitest' {
  interface TaskMeta {
    /** What was missing, so that the test is skipped. */
    missing?: string;
  }
}

/** Options of a test or a group of tests. */
export type Needs = { readonly skip?: boolean; readonly meta?: { readonly missing: string } };

/** Returns the options of what can only run if the machine permits something: `it('…', permitted(…), …)`. */
export const permitted = (what: string, isPermitted: boolean): Needs =>
  isPermitted ? {} : { skip: true, meta: { missing: what } };

/**
 * Returns the options of what starts programs that README does not require: `it('…', needs('nginx'), …)`. It gets their
 * paths from `program`.
 */
export const needs = (...names: ProgramName[]): Needs => {
  const missing = names.find((name) => findProgram(name) === undefined);
  return permitted(missing ?? '', missing === undefined);
};

/** Returns the options of what gives a process other files than the machine's, which takes root on Linux. */
export const needsMounts = (): Needs => {
  const options = needs('unshare', 'mount');
  if (options.skip === true) return options;
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  return permitted('namespaces of mounts', isRoot && spawnSync(program('unshare'), ['--mount', 'true']).status === 0);
};
