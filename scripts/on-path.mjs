/** The executable files of a name on the PATH. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Returns their paths, in the PATH's order.
 * @param {string} name
 * @param {string} [path]
 */
export const onPath = (name, path = process.env.PATH ?? '') =>
  path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter(isExecutable);

/** @param {string} file */
const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
