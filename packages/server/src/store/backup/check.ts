/** Checks every invariant of the data model in `keys.ts` in the store itself. Writes nothing. */
import { partitions } from '../keys.ts';
import type { Store } from '../redis.ts';
import { checkDirectory, directoryTypes } from './check-directory.ts';
import { checkEvents, checkReports } from './check-logs.ts';
import { checkPartition, partitionTypes } from './check-webhooks.ts';
import { checkTypes, type Finding } from './findings.ts';

/**
 * Finds violated invariants. While others write, a change in progress may be reported. `onProgress` is told what it has
 * come to.
 */
export async function* checkStore(
  store: Store,
  onProgress: (part: string) => void = () => undefined,
): AsyncGenerator<Finding> {
  let isReadable = true;
  for await (const finding of checkTypes(store, [directoryTypes, ...partitions.map(partitionTypes)])) {
    isReadable = false;
    yield finding;
  }
  if (!isReadable) return;
  onProgress('bots and posts');
  yield* checkDirectory(store);
  onProgress('events and reports');
  yield* checkEvents(store);
  yield* checkReports(store);
  for (const partition of partitions) {
    onProgress(`webhooks, part ${partition.number + 1} of ${partitions.length}`);
    yield* checkPartition(store, partition);
  }
}
