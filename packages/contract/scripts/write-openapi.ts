/** Writes openapi.json from the contract. The suite compares the committed file with what this would write. */
import { writeFileSync } from 'node:fs';
import { openApi } from '../src/openapi.ts';

writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(openApi(), null, 2)}\n`);
