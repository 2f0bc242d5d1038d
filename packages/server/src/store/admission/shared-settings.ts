/**
 * Settings that must be equal in all processes of a directory. Each start compares its own with those that the store
 * has from the starts before it. A process that would do harm is refused: staging on production's store, or a worker
 * whose signatures no published key verifies. Any other difference is a warning, and the newest start is noted. See
 * decision 0171.
 */
import type { Log } from '../../base/log.ts';
import { categoriesText, type Categories } from '../../domain/names.ts';
import type { SigningKey } from '../../domain/signature.ts';
import { keys } from '../keys.ts';
import type { Store } from '../../redis/redis.ts';
import { createSigningKeys } from '../signing-keys.ts';

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

/** A setting and its value as they are stored. The value of the keys has their ids. */
type NotedSettings = Readonly<Record<string, string>>;

/** A directory that was served on one machine alone is tried out: nobody depends on its settings. */
const isTriedOut = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(baseUrl);

const keysSetting = 'WEBHOOK_SIGNING_KEY';

const toNote = async (store: Store, own: OwnSettings): Promise<NotedSettings> => ({
  BASE_URL: own.baseUrl,
  TEMPLATE_HOST: own.templateHost,
  [keysSetting]: (await createSigningKeys(store, own.signingKeys)()).map(({ id }) => id).join(','),
  BOT_CATEGORIES: categoriesText(own.categories),
  WEBHOOK_RETRY_DELAYS: own.retryDelaysMs.join(','),
  release: own.release,
});

const isHarmful = (setting: string, noted: string, here: string): boolean =>
  setting === keysSetting
    ? !noted.split(',').some((id) => here.split(',').includes(id))
    : (setting === 'BASE_URL' || setting === 'TEMPLATE_HOST') && noted !== here;

/** Reads what the last start noted. */
export const readSettings = (store: Store): Promise<NotedSettings> =>
  store.call((redis) => redis.hgetall(keys.settings));

/**
 * Compares the settings of a process that starts with those in the store, and notes them. Returns why it must not run;
 * `undefined` if it may.
 */
export const shareSettings = async (store: Store, own: OwnSettings, log: Log): Promise<string | undefined> => {
  const here = await toNote(store, own);
  // Of several processes that start together, one is the first.
  await store.call((redis) =>
    Promise.all(Object.entries(here).map(([setting, value]) => redis.hsetnx(keys.settings, setting, value))),
  );
  const noted = await readSettings(store);
  const differing = Object.keys(here).filter((setting) => noted[setting] !== here[setting]);
  for (const setting of differing) {
    const before = noted[setting] ?? '';
    const now = here[setting] ?? '';
    if (!isTriedOut(noted.BASE_URL) && isHarmful(setting, before, now))
      return `${setting} is ${now}, and in this store it is ${before}: ${remedy}`;
  }
  for (const setting of differing)
    log[setting === 'release' ? 'info' : 'warn'](
      { setting, before: noted[setting], now: here[setting] },
      'the last process that started had another setting',
    );
  const mine = differing.filter((setting) => setting !== keysSetting || own.isWeb);
  if (mine.length > 0)
    await store.call((redis) =>
      redis.hset(keys.settings, Object.fromEntries(mine.map((setting) => [setting, here[setting] ?? '']))),
    );
  return undefined;
};

const remedy =
  'correct it, REDIS_URL or REDIS_KEY_PREFIX, or run bot-directory-admin settings forget if the change is meant';

/** Forgets the settings, with a line in the audit log by the caller: the next process that starts notes its own. */
export const forgetSettings = (store: Store): Promise<unknown> => store.call((redis) => redis.del(keys.settings));
