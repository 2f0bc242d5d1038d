/** Reads of the list (`list/measure.ts`). */
import { cases } from './list/cases.ts';
import { measureReads } from './list/measure.ts';

await measureReads('list', cases);
