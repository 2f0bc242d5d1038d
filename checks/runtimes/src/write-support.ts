/** A part of `npm run generate`: writes what the published packages are tested with into their READMEs. */
import { writeFileSync } from 'node:fs';
import { readmeOf } from './support.ts';

for (const name of ['sdk', 'receiver'] as const) {
  const { path, made } = await readmeOf(name);
  writeFileSync(path, made);
}
