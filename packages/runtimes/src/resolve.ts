/** Finds the program of a package whose platform packages carry it. */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = createRequire(import.meta.url);

/** The program's path; undefined when its package has none for this machine. */
export const binary = (name: string, platformPackage: string, path: string): string | undefined => {
  try {
    const own = here.resolve(`${name}/package.json`);
    const { name: realName } = here(own) as { name: string };
    // An alias is the platform package itself; of all others it is an optional dependency.
    const home = realName === platformPackage ? own : createRequire(own).resolve(`${platformPackage}/package.json`);
    const program = join(dirname(home), path);
    accessSync(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
};
