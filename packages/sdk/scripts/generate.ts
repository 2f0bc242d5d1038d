/** Writes src/*.gen.ts from the contract. The suite compares the committed files with what this would write. */
import { writeFileSync } from 'node:fs';
import * as contractModule from '@bot-directory/contract';
import { makeSources } from './sources.ts';

const { types, operations } = makeSources(contractModule);
writeFileSync(new URL('../src/types.gen.ts', import.meta.url), types);
writeFileSync(new URL('../src/operations.gen.ts', import.meta.url), operations);
