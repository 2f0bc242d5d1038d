/** Replicas that must have everything before a test takes their primary away. */
import type { Redis } from 'ioredis';
import { keys } from './server.ts';
import { until } from './until.ts';

/**
 * Waits until a primary hears from so many replicas. It counts a replica only from then on, up to a second after the
 * replica says that its link is up.
 */
export const untilFollowed = (primary: Redis, by = 1): Promise<void> =>
  until('the replicas are heard', async () => {
    const heard = (await primary.info('replication')).match(/^slave\d+:.*state=online,offset=[1-9]/gm) ?? [];
    return heard.length === by;
  });

const spareKey = `${keys.state}:spare`;

/** Waits until a replica has all that its primary has. WAIT counts what its own connection wrote, so this writes. */
export const untilReplicated = async (primary: Redis): Promise<void> => {
  const isReplicated = async (): Promise<boolean> => {
    await primary.set(spareKey, '');
    await primary.del(spareKey);
    return (await primary.wait(1, 1_000)) === 1;
  };
  await until('a replica is there', isReplicated);
  // What was written before the replica came has no offset, so it seems to have that before it follows.
  await until('a replica has all', isReplicated);
};
