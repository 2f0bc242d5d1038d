/** The store, without a server around it. */
import { createLog, openStore, type Store, waitForStore } from './server.ts';

/** Longer than a server waits: these tests are not about the speed of a busy machine. */
const patienceMs = 60_000;

/** Opens the store of a test, and waits until it responds. The caller closes it. `offsetMs`: of its clock. */
export const openTestStore = async (redisUrl: string, options: { offsetMs?: () => number } = {}): Promise<Store> => {
  const store = openStore([redisUrl], createLog('silent'), { ...options, deadlineMs: patienceMs });
  if (!(await waitForStore(store, patienceMs))) throw new Error('the store of a test never answered');
  return store;
};
