/**
 * The Sentinels of a URL: asks them for the primary, and watches them for the promotion of another, since the old one
 * may still answer if only the Sentinels cannot reach it. `connect.ts` connects to the primary that they name.
 */
import { Redis } from 'ioredis';
import type { Log } from '../base/log.ts';
import {
  backoff,
  deadlineMs,
  readSentinelUrl,
  streamOf,
  tlsOptions,
  withSetting,
  type RedisClient,
  type RedisTls,
  type Servers,
} from './connect.ts';
import { isSentinelUrl, type SentinelUrl } from './redis-url.ts';

/** How soon the subscription to a Sentinel's promotions is retried. */
const listenAgainMs = 1_000;

/**
 * Asks the Sentinels of a URL for its primary: `unknown` if those that answer do not know its name. `undefined`: the
 * URL names no Sentinels, or none answers.
 */
export const askSentinels = async ({ urls, tls }: Servers): Promise<'known' | 'unknown' | undefined> => {
  const [first = ''] = urls;
  if (!isSentinelUrl(first)) return undefined;
  const url = readSentinelUrl(first);
  const answers = await Promise.all(url.sentinels.map((sentinel) => isKnownTo({ ...sentinel, url, tls })));
  const heard = answers.filter((answer) => answer !== undefined);
  return heard.length === 0 ? undefined : heard.includes(true) ? 'known' : 'unknown';
};

const isKnownTo = async (one: OneSentinel): Promise<boolean | undefined> => {
  const sentinel = openSentinel(one, () => null);
  try {
    return Array.isArray(await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', one.url.master));
  } catch {
    return undefined;
  } finally {
    sentinel.disconnect();
  }
};

/**
 * Calls back when the Sentinels of a URL promote another primary. Logs Sentinels that do not answer. Returns a function
 * that stops watching. Without Sentinels it does nothing.
 */
export const watchPromotions = ({ urls, tls }: Servers, log: Log, promoted: Promoted): (() => void) => {
  const [first = ''] = urls;
  if (!isSentinelUrl(first)) return () => undefined;
  const url = readSentinelUrl(first);
  const watchers = url.sentinels.map((address) => watchSentinel({ ...address, url, tls }, { log, promoted }));
  return () => {
    for (const watcher of watchers) watcher.disconnect();
  };
};

/** Where a server listens, as its Sentinels and a socket's peer name it. */
type Address = { readonly host: string; readonly port: number };

/** Gets the address of the new primary, from each Sentinel once. */
type Promoted = (primary: Address) => void;

/** Whether the connection leads there: not so if names or translated addresses stand for it. */
export const leadsTo = (redis: RedisClient, { host, port }: Address): boolean => {
  const stream = streamOf(redis);
  return stream?.remoteAddress === host && stream.remotePort === port;
};

const watchSentinel = (
  one: OneSentinel,
  { log, promoted }: { readonly log: Log; readonly promoted: Promoted },
): Redis => {
  const sentinel = `${one.host}:${one.port}`;
  let isReported = false;
  const report = ({ message }: Error): void => {
    if (!isReported) log.warn({ sentinel, reason: withSetting(message) }, 'a Sentinel does not respond');
    isReported = true;
  };
  const watcher = openSentinel(one, backoff);
  watcher.on('error', report);
  const listen = (): void => {
    watcher.subscribe('+switch-master').then(
      () => (isReported = false),
      (error: unknown) => {
        report(error as Error);
        setTimeout(() => watcher.status === 'ready' && listen(), listenAgainMs).unref();
      },
    );
  };
  watcher.on('ready', listen);
  watcher.on('message', (_channel: string, message: string) => {
    const [master, , , host = '', port] = message.split(' ');
    if (master === one.url.master) promoted({ host, port: Number(port) });
  });
  return watcher;
};

type OneSentinel = Address & { readonly url: SentinelUrl; readonly tls: RedisTls | undefined };

const openSentinel = (
  { host, port, url, tls }: OneSentinel,
  retryStrategy: (attempt: number) => number | null,
): Redis =>
  new Redis({
    host,
    port,
    ...(url.sentinelUsername === '' ? {} : { username: url.sentinelUsername }),
    ...(url.sentinelPassword === '' ? {} : { password: url.sentinelPassword }),
    ...(url.isSecure ? { tls: tlsOptions(tls) } : {}),
    enableReadyCheck: false,
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    retryStrategy,
    connectTimeout: deadlineMs,
    commandTimeout: deadlineMs,
  }).on('error', () => undefined);
