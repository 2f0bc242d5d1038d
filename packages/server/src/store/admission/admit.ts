/**
 * Admits a server as the store, once per connection: what it is, what its user may do, what it promises to keep,
 * whether it has lost its bots, and whose directory it has.
 */
import { Redis, ReplyError } from 'ioredis';
import { reasonOf, StoreRefused, StoreUnreachable } from '../../base/failure.ts';
import { sharedWhileRunning } from '../../base/limiter.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Tracer } from '../../base/tracing.ts';
import { primaryOf } from '../../redis/connect.ts';
import type { Size } from '../../redis/known.ts';
import { keys } from '../keys.ts';
import { measured, waitForStore, wrapStore, type Store } from '../../redis/redis.ts';
import { noteSize, readSize, shareSettings, type OwnSettings } from './note.ts';

/** The version of the data model in `keys.ts`. Raised with every change that an older server would misread. */
export const modelVersion = 3;

const oldestRelease = 7;
/** How long a Cluster may take to be discovered from one of its nodes. */
const discoveryMs = 2_000;

/** This server cannot serve the store; the message says what to do. */
export class UnfitStore extends Error {
  override readonly name = 'UnfitStore';
}

/** What may be missing from the store, and what to do about it. The service runs without it. */
export const lacks = {
  info: 'the user may not run INFO, so replicas, evictions and persistence are not checked: grant +info',
  append_only_file:
    'Redis keeps no append-only file, so a crash loses acknowledged writes: write `appendonly yes` into its file',
  fsync:
    'Redis has appendfsync no, so a power loss loses acknowledged writes: write `appendfsync everysec` into its file',
  no_eviction:
    'a full Redis evicts keys with a lifetime, so installs may count twice: write `maxmemory-policy noeviction` into its file',
} as const;

/** The store has no directory, although it had one; or none is expected. The message says what to do. */
class EmptiedStore extends UnfitStore {}

/** Something that is missing from the store. */
export type Lack = keyof typeof lacks;

/** The fields of INFO; empty if the user may not run it. */
type Info = ReadonlyMap<string, string>;

/** Undefined if the user may not run the command, or the server does not have it. */
const ifPermitted = <T>(reply: Promise<T>): Promise<T | undefined> =>
  reply.catch((error: unknown) => {
    if (error instanceof ReplyError && /^(?:NOPERM|ERR)\b/.test((error as Error).message)) return undefined;
    throw error;
  });

/** Reads INFO of the server that has the directory. */
const readInfo = (store: Store): Promise<Info> =>
  store.call(async (redis) => {
    const text = await ifPermitted((await primaryOf(redis, keys.state)).info());
    return new Map([...(text ?? '').matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
  });

const lacksOf = async (store: Store, info: Info): Promise<readonly Lack[]> => {
  if (info.size === 0) return ['info'];
  const isLogged = info.get('aof_enabled') === '1';
  // INFO does not have it, and many services refuse CONFIG.
  const fsync = isLogged
    ? await store.call(async (redis) => ifPermitted((await primaryOf(redis, keys.state)).config('GET', 'appendfsync')))
    : undefined;
  return [
    ...(isLogged ? [] : (['append_only_file'] as const)),
    ...(fsync?.[1] === 'no' ? (['fsync'] as const) : []),
    ...(info.get('maxmemory_policy')?.startsWith('volatile-') ? (['no_eviction'] as const) : []),
  ];
};

/** What the store is like now; figures that INFO does not have are undefined. */
export type Condition = {
  readonly lacks: readonly Lack[];
  readonly memoryBytes: number | undefined;
  /** 0: no limit. */
  readonly memoryLimitBytes: number | undefined;
  readonly evictedKeys: number | undefined;
};

/** Reads the condition of the store. Its settings can change without another connection. */
export const readCondition = async (store: Store): Promise<Condition> => {
  const info = await readInfo(store);
  const figure = (name: string): number | undefined => {
    const text = info.get(name);
    return text === undefined ? undefined : Number(text);
  };
  return {
    lacks: await lacksOf(store, info),
    memoryBytes: figure('used_memory'),
    memoryLimitBytes: figure('maxmemory'),
    evictedKeys: figure('evicted_keys'),
  };
};

/**
 * Selects the database of the URL again. When the server refuses it, the client reports that and goes on in database 0,
 * which may be another directory's.
 */
const selectDatabase = async (store: Store): Promise<void> => {
  let database = 0;
  try {
    await store.call(async (redis) => {
      database = redis instanceof Redis ? (redis.options.db ?? 0) : 0;
      if (database !== 0) await redis.select(database);
    });
  } catch (error) {
    if (error instanceof StoreUnreachable) throw error;
    throw new UnfitStore(`REDIS_URL names database ${database}, which the server refuses: ${String(error)}`);
  }
};

/**
 * Checks what the store is, and that it has a complete data model that this server knows. Opens the whole Cluster if
 * the store is one of its nodes.
 */
const identify = async (store: Store): Promise<{ readonly info: Info; readonly model: string }> => {
  // All in one round trip: a caller waits for it, and then for what it came for.
  const reading = readInfo(store);
  const state = Promise.all([
    selectDatabase(store),
    store.call((redis) => redis.hmget(keys.state, 'model', 'import', 'version')),
  ] as const);
  // A Sentinel and some nodes of a Cluster reply with an error; what they are says more.
  state.catch(() => undefined);
  const info = await reading;
  const mode = info.get('redis_mode') ?? info.get('server_mode');
  if (mode === 'sentinel')
    throw new UnfitStore('REDIS_URL leads to a Sentinel: write redis-sentinel://host:port#name-of-the-primary');
  if (mode === 'cluster' && store.openCluster()) {
    if (await waitForStore(store, discoveryMs)) return identify(store);
    throw new StoreUnreachable(store.trouble() ?? 'the nodes of the Cluster do not respond');
  }
  const [, [stored, unfinished, version]] = await state;
  if (unfinished !== undefined && unfinished !== null)
    throw new UnfitStore('an import into this store was not finished: empty the store and import again');
  if (Number(stored ?? 0) > modelVersion)
    throw new UnfitStore(
      `the store has data model ${stored}, and this server knows up to ${modelVersion}: start a newer server`,
    );
  if (stored !== null && stored !== undefined && Number(stored) < modelVersion)
    throw new UnfitStore(
      `the store has data model ${stored}, which this server cannot read: export it with the build that wrote it, and import that into an empty store`,
    );
  store.known.highest = Math.max(store.known.highest, Number(version ?? 0));
  return { info, model: stored ?? '' };
};

/** A replica that accepts writes would refuse no script. */
const refuseReplica = (store: Store, info: Info): void => {
  if (info.get('role') !== 'slave') return;
  store.reconnect();
  throw new StoreUnreachable('the server is a replica: connect to its primary');
};

const refuseRelease = (info: Info): void => {
  const release = info.get('redis_version') ?? '';
  if (release !== '' && Number.parseInt(release, 10) < oldestRelease)
    throw new UnfitStore(`the store is of release ${release}: Redis 7.0 or Valkey 8 is needed`);
};

const refuseEviction = (info: Info): void => {
  const policy = info.get('maxmemory_policy') ?? '';
  if (policy.startsWith('allkeys-'))
    throw new UnfitStore(`the store has maxmemory-policy ${policy} and would evict bots: set it to noeviction`);
};

/** `WAIT 0` replies at once. */
const requireWait = async (store: Store): Promise<void> => {
  const reply = await store.call(async (redis) => ifPermitted((await primaryOf(redis, keys.state)).wait(0, 1)));
  if (reply === undefined)
    throw new UnfitStore('WRITE_REPLICAS needs the command WAIT, which the store refuses: grant +wait, or set it to 0');
};

const remedy =
  'import a backup, correct REDIS_URL or REDIS_KEY_PREFIX, or run bot-directory-admin accept-empty if this is meant';

/** Throws if the store is empty, and this process, the note or a setting says that it is not new. */
const refuseLoss = async (store: Store, size: Size, { mayBeNew }: Terms): Promise<void> => {
  const { known } = store;
  known.compare(size);
  if (known.count(size.has)) await noteSize(store);
  if (size.has > 0) return;
  if (known.lost > 0) throw new EmptiedStore(`the directory is empty, and had ${known.lost} bots and posts: ${remedy}`);
  if (size.acceptance === '' && !mayBeNew) throw new EmptiedStore(`the store is empty: ${remedy}`);
  if (size.noted === undefined) throw new StoreUnreachable('the store is empty, and its note cannot be read');
};

/** A full store, a full disk, too few replicas. */
const refusesWrites = /OOM|MISCONF|NOREPLICAS/;
const isForbidden = /NOPERM|ACL failure|The user executing the script|unknown command/;

/** Throws UnfitStore if the user may not do what the service needs. */
const unlessForbidden = (error: unknown): never => {
  if (!(error instanceof Error) || !isForbidden.test(error.message)) throw error;
  throw new UnfitStore(`the user of REDIS_URL needs more permissions, as in OPERATIONS.md: ${error.message}`);
};

/**
 * Begins another epoch if this server may have lost something: Redis makes a replication id at every start and
 * promotion. Where INFO says nothing, the versions that readers know must suffice. It also proves that scripts may run.
 */
const beginEpoch = async (store: Store, info: Info): Promise<void> => {
  try {
    await store.script('begin-epoch', [keys.state], [info.get('master_replid') ?? '']).catch(unlessForbidden);
  } catch (error) {
    if (!(error instanceof StoreUnreachable || error instanceof StoreRefused)) throw error;
    // A store that accepts no writes now is still read.
    if (error instanceof StoreUnreachable && !refusesWrites.test(error.message)) throw error;
  }
};

/**
 * Returns why the store accepts no writes now, or undefined. The epoch of an unknown server changes nothing, but is
 * refused as every write.
 */
export const refusalOfWrites = (store: Store): Promise<string | undefined> =>
  store.script('begin-epoch', [keys.state], ['']).then(() => undefined, reasonOf);

/** Returns false if the store accepts no writes now: it is still read. */
const hasSharedNow = async (store: Store, settings: OwnSettings, log: Log): Promise<boolean> => {
  const reason = await shareSettings(store, settings, log).catch((error: unknown) => {
    if (error instanceof StoreUnreachable && refusesWrites.test(error.message)) return false;
    return unlessForbidden(error);
  });
  if (typeof reason === 'string') throw new UnfitStore(reason);
  return reason !== false;
};

/**
 * On what terms this process uses a store. `mayBeNew`: a store without a directory gets one, unless anything says that
 * it had one. `settings`: what all processes of the directory share.
 */
export type Terms = {
  readonly writeReplicas: number;
  readonly mayBeNew: boolean;
  readonly settings: OwnSettings;
};

/**
 * Returns false if the store is away, which it may be again between two commands, or waits for its operator, whose
 * commands may need a running container.
 */
const isAway = (error: unknown): false => {
  if (error instanceof StoreUnreachable || error instanceof EmptiedStore) return false;
  throw error;
};

/**
 * Waits until the store answers, at most `forMs`, and checks it: by default only what it is. False: it cannot be used
 * yet. Throws UnfitStore if it cannot be served, or if the Sentinels do not know its primary.
 */
export const firstLook = async (
  store: Store,
  {
    forMs,
    check = identify,
  }: { readonly forMs: number; readonly check?: ((store: Store) => Promise<unknown>) | undefined },
): Promise<boolean> => {
  if (await waitForStore(store, forMs)) return check(store).then(() => true, isAway);
  if ((await store.askSentinels()) === 'unknown')
    throw new UnfitStore('REDIS_URL ends in # and a name that the Sentinels do not know');
  return false;
};

type Deps = { readonly log: Log; readonly metrics: Metrics; readonly tracer: Tracer | undefined };

/**
 * Admits a store before it is used, once per connection: after each new one it may be another server, or hold other
 * data. While this server cannot serve it, `store` counts as away, and the log says why; what is missing is logged once
 * found. `admit` does it at once, and throws UnfitStore, or StoreUnreachable if the store does not answer. The settings
 * are compared once per process. A store that has no version yet is admitted for each request: it may have lost it, and
 * a process that remembers more writes the note any time.
 */
export const createAdmission = (opened: Store, terms: Terms, { log, metrics, tracer }: Deps) => {
  let admitted: number | undefined;
  let hasShared = false;
  let reported: string | undefined;
  let hindrance: string | undefined;
  let lacking: readonly Lack[] = [];

  const admit = async (): Promise<void> => {
    const connection = opened.connection();
    // In one round trip, which a caller waits for, after the database is selected.
    const identified = identify(opened);
    const sizing = readSize(opened);
    sizing.catch(() => undefined);
    const { info, model } = await identified;
    refuseReplica(opened, info);
    refuseRelease(info);
    refuseEviction(info);
    if (terms.writeReplicas > 0) await requireWait(opened);
    // A node of a Cluster has refused some of it, if the whole was opened just now.
    const size = opened.connection() === connection ? sizing : readSize(opened);
    await refuseLoss(opened, await size.catch(unlessForbidden), terms);
    hasShared ||= await hasSharedNow(opened, terms.settings, log);
    // A new store has no version. If the store cannot be written to now, a later check records it.
    if (model !== String(modelVersion))
      await opened.call((redis) => redis.hset(keys.state, 'model', modelVersion)).catch(() => undefined);
    const [found] = await Promise.all([lacksOf(opened, info), beginEpoch(opened, info)]);
    for (const lack of found)
      if (!lacking.includes(lack)) log.warn({ lack, reason: lacks[lack] }, 'the store is at risk');
    lacking = found;
    if (opened.known.highest > 0) admitted = connection;
  };

  const admitOnce = sharedWhileRunning(async (): Promise<void> => {
    try {
      await admit();
    } catch (error) {
      hindrance = error instanceof Error ? error.message : undefined;
      if (!(error instanceof UnfitStore)) throw error;
      if (error.message !== reported) log.error({ reason: error.message }, 'the store cannot be used');
      reported = error.message;
      throw new StoreUnreachable(error.message);
    }
    hindrance = undefined;
    if (reported !== undefined) log.info('the store can be used again');
    reported = undefined;
  });

  const store = wrapStore({ ...opened, trouble: () => reported ?? opened.trouble() ?? hindrance }, (send) =>
    measured(
      (request) => (admitted === opened.connection() ? send(request) : admitOnce().then(() => send(request))),
      metrics,
      tracer,
    ),
  );
  return { store, admit };
};
