/**
 * The check that a server must make before each response if it is never stale: the directory's own question to Redis,
 * whose reply is ignored. One in flight serves all requests that waited when it was sent.
 */
import { Redis } from 'ioredis';
import { keys } from '../../packages/server/src/store/keys.ts';
import { scripts } from '../../packages/server/src/redis/scripts.ts';

/** What a contender that only writes is started with. `redisUrl` undefined: it checks nothing. */
export type PeerOptions = { readonly redisUrl: string | undefined };

/** Makes the check; undefined for a contender that makes none. */
export const createCheck = async ({ redisUrl }: PeerOptions): Promise<(() => Promise<unknown>) | undefined> => {
  if (redisUrl === undefined) return undefined;
  const redis = new Redis(redisUrl);
  const { sha, source } = scripts['read-changes'];
  await redis.script('LOAD', source);
  const [epoch, , latest] = (await redis.evalsha(sha, 1, keys.state, 0, '', 0)) as string[];
  return shared(() => redis.evalsha(sha, 1, keys.state, latest ?? 0, epoch ?? '', 0));
};

/** Runs one check after the other. Each serves all requests that waited when it was sent. */
const shared = (check: () => Promise<unknown>): (() => Promise<unknown>) => {
  let underWay = Promise.resolve<unknown>(undefined);
  let next: Promise<unknown> | undefined;
  return () =>
    (next ??= underWay.then(() => {
      next = undefined;
      return (underWay = check());
    }));
};
