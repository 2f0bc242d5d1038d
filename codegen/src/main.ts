/** Writes every file that is generated from the contract. */
import { writeFileSync } from 'node:fs';
import { generatedFiles, root } from './generated-files.ts';

for (const [path, text] of await generatedFiles()) writeFileSync(new URL(path, root), text);
