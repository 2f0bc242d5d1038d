/** The files of the repository that the tests here are about. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's folder. */
export const root = join(import.meta.dirname, '../../..');

/** The text of a file, by its path in the repository. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');
