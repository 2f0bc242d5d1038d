/**
 * The connection to Redis, a Redis Cluster or a primary named by Sentinels. Every request gets a reply within the
 * deadline, or fails with StoreUnreachable. Nothing hangs, and nothing is queued while the store is away: connections
 * that are lost or silent are noticed, and replaced.
 */
import { Cluster, Redis, ReplyError } from 'ioredis';
import { StoreRefused, StoreUnreachable } from '../base/failure.ts';
import { createLog, type Log } from '../base/log.ts';
import {
  askSentinels,
  collectWrites,
  connect,
  deadlineMs as usualDeadlineMs,
  leadsTo,
  primaryOf,
  sendAtOnce,
  watchPromotions,
  withSetting,
  type RedisClient,
  type RedisTls,
} from './connect.ts';
import { Known } from './known.ts';
import { StoreClock, storeOf, type StoreRequest, type Send, type Store } from './redis.ts';
import { runScript, type Attempt, type Script, type ScriptName } from './scripts.ts';

/** The round trips that the client makes before it sends commands: HELLO, and INFO. */
const greetingTrips = 2;

/** Replies that mean “not now” rather than “wrong”. Those in words are NOPERM for a command in a script. */
const away =
  /^(LOADING|BUSY|CLUSTERDOWN|MASTERDOWN|READONLY|TRYAGAIN|MISCONF|OOM|EMPTIED|NOREPLICAS|MOVED|ASK|NOAUTH|NOPERM|WRONGPASS|ERR (ACL failure|The user executing the script))\b/;

export type StoreOptions = {
  /**
   * The longest a command may take before the store counts as away, in milliseconds.
   *
   * @default 800
   */
  readonly deadlineMs?: number | undefined;
  /** For URLs of `rediss:`. */
  readonly tls?: RedisTls | undefined;
  /**
   * What the keys of the directory begin with.
   *
   * @default ''
   */
  readonly keyPrefix?: string | undefined;
  /**
   * How many replicas must have a write before it is acknowledged. With any, writes have a connection of their own, so
   * that waiting for replicas does not delay reads.
   *
   * @default 0
   */
  readonly writeReplicas?: number | undefined;
};

/** Opens a connection to the servers of `REDIS_URL`. It reconnects forever. */
export const openStore = (
  urls: readonly string[],
  log: Log,
  { deadlineMs = usualDeadlineMs, writeReplicas = 0, ...where }: StoreOptions = {},
): Store => {
  const servers = { urls, ...where };
  const writer = writeReplicas === 0 ? undefined : openStore(urls, createLog('silent'), { deadlineMs, ...where });
  let connection = 0;
  const known = new Known(log, () => (connection += 1));
  const open = (isCluster: boolean) => {
    const client = neverGivingUp(connect(servers, { isCluster }));
    onLoss(client, () => (connection += 1));
    onSilentOpening(client, greetingTrips * deadlineMs, { current: () => connection, drop });
    return { client, trouble: reportState(client, log) };
  };
  /**
   * Drops a connection once, however many commands hang on it, and never the next one because of a command that was
   * lost with this one.
   */
  const drop = (hung: number): void => {
    if (hung !== connection) return;
    if (opened.client instanceof Cluster) return dropSilentNodes(opened.client);
    connection += 1;
    opened.client.disconnect(true);
  };

  let opened = open(urls.length > 1);
  const endWatch = watchPromotions(servers, log, (primary) => {
    if (!leadsTo(opened.client, primary)) drop(connection);
  });

  const attempt: Attempt = (use) => {
    const used = connection;
    const hung = () => drop(used);
    const failed = (error: unknown) => {
      onRefusal(error, { READONLY: hung, EMPTIED: known.distrust });
      return asUnreachable(error, opened.trouble());
    };
    return inTime(deadlineMs, () => use(opened.client), { hung, failed });
  };

  return storeOf({
    send: sending(attempt, writer && replicating(writer, writeReplicas)),
    known,
    clock: new StoreClock(log),
    connection: () => connection,
    reconnect: () => drop(connection),
    trouble: () => opened.trouble(),
    openCluster: () => {
      writer?.openCluster();
      if (opened.client instanceof Cluster) return false;
      abandon(opened.client);
      opened = open(true);
      connection += 1;
      return true;
    },
    askSentinels: () => askSentinels(servers),
    dedicated: () => connect(servers, { enableOfflineQueue: true, isCluster: opened.client instanceof Cluster }),
    close: async () => {
      await writer?.close();
      endWatch();
      silence(opened.client);
      await attempt((client) => client.quit()).catch(() => undefined);
      abandon(opened.client);
    },
  });
};

const silence = (redis: RedisClient): void => {
  redis.removeAllListeners();
  redis.on('error', () => undefined);
};

const abandon = (redis: RedisClient): void => {
  silence(redis);
  redis.disconnect();
};

/** `hung` is called after the deadline; `failed` makes the error that callers see. */
type OnFault = { readonly hung: () => void; readonly failed: (error: unknown) => Error };

/**
 * The reply to a command. After the deadline it rejects with StoreUnreachable, and `hung` drops the connection, so that
 * the next command fails at once instead of waiting too. One promise for each command, not a chain of them.
 */
const inTime = <T>(ms: number, send: () => Promise<T>, { hung, failed }: OnFault): Promise<T> =>
  new Promise((resolve, reject) => {
    const replied = send();
    const cancel = onDeadline(ms, () => {
      hung();
      reject(new StoreUnreachable(`no answer within ${ms} ms`));
    });
    replied.then(
      (reply) => {
        cancel();
        resolve(reply);
      },
      (error: unknown) => {
        cancel();
        reject(failed(error));
      },
    );
  });

/** Requests that are sent at once, so that the store works while the process handles the previous reply. */
const sentAtOnce: ReadonlySet<string> = new Set<ScriptName>(['read-changes', 'read-entries']);

/** Runs a script; `replicate` runs those on whose writes callers rely. */
const sending =
  (attempt: Attempt, replicate: RunScript | undefined): Send =>
  <T>(request: StoreRequest<T>): Promise<T> => {
    if ('script' in request && request.script.isReliedOn && replicate !== undefined)
      return replicate(request) as Promise<T>;
    const through = sentAtOnce.has(request.name) ? sendAtOnce : collectWrites;
    const use: Attempt = (run) => attempt((redis) => run(through(redis)));
    return 'use' in request ? use(request.use) : (runScript(use, request.script, request) as Promise<T>);
  };

type RunScript = (request: Extract<StoreRequest<unknown>, { readonly script: Script }>) => Promise<unknown>;

/** How long replicas may take. Together with the script, a write stays within a command's deadline. */
const replicasMs = 400;

/**
 * Runs scripts whose writes are acknowledged only when enough replicas have them. If too few have a write in time, it
 * fails with StoreUnreachable although the store has it: whether it survives is unknown.
 */
const replicating =
  (writer: Store, replicas: number): RunScript =>
  (request) =>
    writer.call(async (redis) => {
      const primary = await primaryOf(redis, request.keys[0] ?? '');
      const reply = await runScript((use) => use(primary), request.script, request);
      const count = await primary.wait(replicas, replicasMs);
      if (count < replicas) throw new StoreUnreachable(`${count} of ${replicas} replicas have the write`);
      return reply;
    });

const isReply = (error: unknown): error is Error => error instanceof Error && error instanceof ReplyError;

type Refusals = { readonly READONLY: () => void; readonly EMPTIED: () => void };

/**
 * A demoted primary stays connected but accepts no more writes, and there may be another primary by now. A store that
 * was emptied must not get another directory by itself.
 */
const onRefusal = (error: unknown, refusals: Refusals): void => {
  if (!isReply(error)) return;
  for (const code of ['READONLY', 'EMPTIED'] as const) if (error.message.startsWith(code)) refusals[code]();
};

const asUnreachable = (error: unknown, trouble: string | undefined): Error => {
  if (error instanceof StoreUnreachable) return error;
  // The client's own error contains the command, and with it a webhook's URL, which must not reach a log.
  if (isReply(error))
    return away.test(error.message)
      ? new StoreUnreachable(error.message, true)
      : new StoreRefused(`Redis: ${error.message}`);
  const text = error instanceof Error ? error.message : String(error);
  return new StoreUnreachable(text.includes('enableOfflineQueue') ? (trouble ?? 'it is not connected') : text);
};

/** The deadline of a node of a cluster, once a command to some node was late. */
const nodeDeadlineMs = 400;
/** A timer this late means that our own event loop stalled; a reply is then awaited for this much longer. */
const stallMs = 50;
const afterStallMs = 200;

/**
 * Calls back after the deadline, when everything that had arrived by then has been read. After a stall of our own event
 * loop, the timer fires before delayed commands are even sent, so they get slightly longer. Returns a function that
 * cancels it.
 */
const onDeadline = (ms: number, late: () => void): (() => void) => {
  const dueAtMs = performance.now() + ms;
  let look: NodeJS.Immediate | undefined;
  const judge = (): void => {
    look = setImmediate(late);
  };
  let timer = setTimeout(() => {
    if (performance.now() - dueAtMs < stallMs) judge();
    else timer = setTimeout(judge, afterStallMs);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(look);
  };
};

const silentOpening = 'it accepts connections, and sends nothing';

/** Drops a connection that is accepted but never answers. Nothing else would notice: no command is sent on it. */
const onSilentOpening = (
  redis: RedisClient,
  ms: number,
  { current, drop }: { readonly current: () => number; readonly drop: (hung: number) => void },
): void => {
  redis.on('connect', () => {
    const opened = current();
    const ends = ['ready', 'close'] as const;
    const cancel = onDeadline(ms, () => {
      if (redis instanceof Redis && redis.stream.bytesRead === 0) redis.emit('error', new Error(silentOpening));
      drop(opened);
    });
    // One of them may never come: a Redis that asks for a password is not ready, however often we connect.
    const end = (): void => {
      cancel();
      for (const event of ends) redis.off(event, end);
    };
    for (const event of ends) redis.on(event, end);
  });
};

/** Connects again when ioredis gives up for good, as when it has to reconnect while it asks the Sentinels. */
const neverGivingUp = (redis: RedisClient): RedisClient =>
  redis.on('end', () => void redis.connect().catch(() => undefined));

/** Calls back when a connection is lost: the only one, or one of a cluster's. */
const onLoss = (redis: RedisClient, lost: () => void): void => {
  redis.on('close', lost);
  if (redis instanceof Cluster) redis.on('+node', (node: Redis) => node.on('close', lost));
};

/**
 * Drops the connections of a cluster that do not answer now, and refreshes the slot map: a replica may have taken over.
 * A ping to a node that is still being greeted waits for that.
 */
const dropSilentNodes = (cluster: Cluster): void => {
  for (const node of cluster.nodes()) {
    if (node.status === 'wait') continue;
    const cancel = onDeadline(nodeDeadlineMs, () => {
      node.disconnect(true);
      cluster.refreshSlotsCache();
    });
    node.ping().then(cancel, cancel);
  }
};

/** Logs when the connection is lost, with each reason once, and when it returns. Returns why it is lost now. */
const reportState = (redis: RedisClient, log: Log): (() => string | undefined) => {
  const reported = new Set<string>();
  let reason: string | undefined;
  redis.on('ready', () => {
    if (reported.size > 0) log.info('the store responds again');
    reported.clear();
    reason = undefined;
  });
  redis.on('error', (error: Error & { readonly lastNodeError?: Error }) => {
    reason = /cluster support disabled/.test(error.lastNodeError?.message ?? '')
      ? 'REDIS_URL names several servers that are no Cluster: name one'
      : withSetting(error.lastNodeError?.message ?? error.message);
    if (!reported.has(reason)) log.error({ reason }, 'the store is unreachable; retrying until it responds');
    reported.add(reason);
  });
  return () => reason;
};
