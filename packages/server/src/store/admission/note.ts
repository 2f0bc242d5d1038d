/**
 * The note: what a process that starts must know of the directory, as the processes before it left it. How many bots
 * and posts there were, so that an emptied store is not served as a new one (decision 0170); and the settings that must
 * be equal in all processes (decision 0171). Its slot is half of all slots from the directory's: in a Cluster, another
 * node has it.
 */
import { randomInt } from 'node:crypto';
import { StoreUnreachable } from '../../base/failure.ts';
import type { Log } from '../../base/log.ts';
import { categoriesText, type Categories } from '../../domain/names.ts';
import type { SigningKey } from '../../domain/signature.ts';
import type { Size } from '../../redis/known.ts';
import type { Store } from '../../redis/redis.ts';
import { keys } from '../keys.ts';
import { createSigningKeys } from '../signing-keys.ts';

const counted = [keys.bots, keys.withdrawn, keys.posts, keys.withdrawnPosts] as const;

/** Reads the size of the directory in the store. The node that has the note may be away. */
export const readSize = async (store: Store): Promise<Size> => {
  const note = store.call((redis) => redis.hmget(keys.note, 'had', 'acceptance'));
  const [[acceptance, ...counts], [had, under]] = await Promise.all([
    store.call((redis) =>
      Promise.all([redis.hget(keys.state, 'acceptance'), ...counted.map((key) => redis.zcard(key))]),
    ),
    note.catch((error: unknown) => {
      if (error instanceof StoreUnreachable) return [];
      throw error;
    }),
  ]);
  // An emptied store has no acceptance.
  const isValid = acceptance === null || acceptance === under;
  return {
    has: counts.reduce((sum, count) => sum + count, 0),
    acceptance: acceptance ?? '',
    noted: had === undefined ? undefined : isValid ? Number(had) : 0,
  };
};

/** Writes how many bots and posts there were, by default those that this process knows of. It may fail unnoticed. */
export const noteSize = async (
  store: Store,
  { had, acceptance }: { readonly had: number; readonly acceptance: string } = store.known,
): Promise<void> => {
  await store.call((redis) => redis.hset(keys.note, { had, acceptance })).catch(() => undefined);
};

/** Identifies an acceptance. */
export const newAcceptance = (): string => randomInt(2 ** 48 - 1).toString(36);

/** The settings that must be equal, and the release that runs. */
const settingNames = [
  'BASE_URL',
  'TEMPLATE_HOST',
  'WEBHOOK_SIGNING_KEY',
  'BOT_CATEGORIES',
  'WEBHOOK_RETRY_DELAYS',
  'release',
] as const;

type SettingName = (typeof settingNames)[number];

/** This process's own. `signingKeys`: those that are configured; without any, the store has one. */
export type OwnSettings = {
  readonly baseUrl: string;
  readonly templateHost: string;
  readonly categories: Categories;
  readonly retryDelaysMs: readonly number[];
  readonly release: string;
  readonly signingKeys: readonly SigningKey[];
  /** Whether this process publishes the keys, or only signs. */
  readonly isWeb: boolean;
};

/** As they are noted: of the keys, their ids. */
const textsOf = async (store: Store, own: OwnSettings): Promise<Readonly<Record<SettingName, string>>> => ({
  BASE_URL: own.baseUrl,
  TEMPLATE_HOST: own.templateHost,
  WEBHOOK_SIGNING_KEY: (await createSigningKeys(store, own.signingKeys)()).map(({ id }) => id).join(','),
  BOT_CATEGORIES: categoriesText(own.categories),
  WEBHOOK_RETRY_DELAYS: own.retryDelaysMs.join(','),
  release: own.release,
});

/** A directory that was served on one machine alone is tried out: nobody depends on its settings. */
const isTriedOut = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(baseUrl);

const isHarmful = (name: SettingName, before: string, now: string): boolean =>
  name === 'WEBHOOK_SIGNING_KEY'
    ? !before.split(',').some((id) => now.split(',').includes(id))
    : (name === 'BASE_URL' || name === 'TEMPLATE_HOST') && before !== now;

/** Reads what the last start noted. */
export const readSettings = async (store: Store): Promise<Readonly<Partial<Record<SettingName, string>>>> => {
  const texts = await store.call((redis) => redis.hmget(keys.note, ...settingNames));
  return Object.fromEntries(settingNames.flatMap((name, i) => (texts[i] == null ? [] : [[name, texts[i]]])));
};

/**
 * Compares the settings of a process that starts with the note, and notes them. Returns why it must not run: staging on
 * production's store, or a worker whose signatures no published key verifies. Any other difference is a warning.
 */
export const shareSettings = async (store: Store, own: OwnSettings, log: Log): Promise<string | undefined> => {
  const here = await textsOf(store, own);
  // Of several processes that start together, one is the first.
  await store.call((redis) => Promise.all(settingNames.map((name) => redis.hsetnx(keys.note, name, here[name]))));
  const noted = await readSettings(store);
  const differing = settingNames.filter((name) => noted[name] !== here[name]);
  for (const name of differing) {
    const before = noted[name] ?? '';
    const now = here[name];
    if (!isTriedOut(noted.BASE_URL) && isHarmful(name, before, now))
      return `${name} is ${now}, and in this store it is ${before}: ${remedy}`;
  }
  for (const setting of differing)
    log[setting === 'release' ? 'info' : 'warn'](
      { setting, before: noted[setting], now: here[setting] },
      'the last process that started had another setting',
    );
  const mine = differing.filter((name) => name !== 'WEBHOOK_SIGNING_KEY' || own.isWeb);
  if (mine.length > 0)
    await store.call((redis) => redis.hset(keys.note, Object.fromEntries(mine.map((name) => [name, here[name]]))));
  return undefined;
};

const remedy =
  'correct it, REDIS_URL or REDIS_KEY_PREFIX, or run bot-directory-admin settings forget if the change is meant';

/** Forgets the settings, with a line in the audit log by the caller: the next process that starts notes its own. */
export const forgetSettings = (store: Store): Promise<unknown> =>
  store.call((redis) => redis.hdel(keys.note, ...settingNames));
