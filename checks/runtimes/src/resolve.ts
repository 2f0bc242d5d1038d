/** Finds the program of a package that ships it in platform packages. */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = createRequire(import.meta.url);

/** Returns the program's path; undefined if there is none for this machine. */
export const binary = (name: string, platformPackage: string, path: string): string | undefined => {
  try {
    const own = here.resolve(`${name}/package.json`);
    const { name: realName } = here(own) as { name: string };
    // An alias is the platform package itself; otherwise it is an optional dependency.
    const home = realName === platformPackage ? own : createRequire(own).resolve(`${platformPackage}/package.json`);
    const program = join(dirname(home), path);
    accessSync(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
};
