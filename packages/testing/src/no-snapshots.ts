/** For a copy of a directory that leaves no snapshot, however large it is. */
import { createLog } from './server.ts';

export const noSnapshots = { release: '', from: Infinity, log: createLog('silent') };
