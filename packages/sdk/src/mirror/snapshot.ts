/** What a mirror saves between runs: one save at a time, always the latest copy. */
import type { Bot } from '@bot-directory/sdk';

/** The list as the server returned it. */
export interface Snapshot {
  /** The bots, newest first. */
  readonly bots: readonly Bot[];
  /** The list's ETag. */
  readonly etag: string | undefined;
}

/** Where a mirror keeps its copy: a file, a row, `localStorage`. One store belongs to one service. */
export interface SnapshotStore {
  /** Returns what was saved last. Anything that is not a snapshot is ignored. */
  load(): Promise<unknown>;
  /** Called when the list changed; never called again before it settles. */
  save(snapshot: Snapshot): Promise<void>;
}

/** Loads the saved snapshot, if it is readable. */
export const readSnapshot = async (
  store: SnapshotStore | undefined,
  report: (error: unknown) => void,
): Promise<Snapshot | undefined> => {
  try {
    const saved: unknown = await store?.load();
    return isSnapshot(saved) ? saved : undefined;
  } catch (error) {
    report(error);
    return undefined;
  }
};

const isSnapshot = (saved: unknown): saved is Snapshot => {
  if (typeof saved !== 'object' || saved === null) return false;
  const { bots, etag } = saved as Record<string, unknown>;
  const isText = (value: unknown) => typeof value === 'string';
  return (etag === undefined || isText(etag)) && Array.isArray(bots) && bots.every((bot) => isText(slugOf(bot)));
};

const slugOf = (bot: unknown): unknown =>
  typeof bot === 'object' && bot !== null ? Reflect.get(bot, 'slug') : undefined;

/** Saves the latest snapshot; a slow store skips those in between. */
export const keepSnapshots = (store: SnapshotStore | undefined, report: (error: unknown) => void) => {
  let latest: Snapshot | undefined;
  let done = Promise.resolve();
  const saveLatest = async (): Promise<void> => {
    const snapshot = latest;
    latest = undefined;
    if (snapshot !== undefined) await store?.save(snapshot);
  };
  return {
    save: (snapshot: Snapshot): void => {
      latest = snapshot;
      done = done.then(saveLatest).catch(report);
    },
    saved: (): Promise<void> => done,
  };
};
