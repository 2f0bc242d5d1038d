/** Writes src/types.gen.ts from the contract. The suite compares the committed file with what this would write. */
import { writeFileSync } from 'node:fs';
import { botCreatedEvent, pingEvent } from '@bot-directory/contract';
import { makeTypes } from './sources.ts';

writeFileSync(new URL('../src/types.gen.ts', import.meta.url), makeTypes([pingEvent, botCreatedEvent]));
