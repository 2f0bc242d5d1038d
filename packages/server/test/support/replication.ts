/** Replicas that must have everything before a test takes their primary away. */
import type { Redis } from 'ioredis';
import { keys } from '../../src/store/keys.ts';
import { until } from './until.ts';

const spareKey = `${keys.directoryPrefix}spare`;

/** Waits until a replica has all that its primary has. WAIT counts what its own connection wrote, so this writes. */
export const untilReplicated = (primary: Redis): Promise<void> =>
  until('a replica has all', async () => {
    await primary.set(spareKey, '');
    await primary.del(spareKey);
    return (await primary.wait(1, 1_000)) === 1;
  });
