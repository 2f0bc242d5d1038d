/** The readings of templates by workers: which are next, what they found, and what follows for a bot whose is gone. */
import { limits } from '@bot-directory/contract';
import type { BotId, EventId } from '../../base/ids.ts';
import type { TemplateValidators } from '../../domain/template-page.ts';
import { changeArgs, type Edit } from '../bots/bot-store.ts';
import { keys, movingKeys } from '../keys.ts';
import { type Store, toMap } from '../../redis/redis.ts';

/** A bot whose template is to be read. `position`: its place in the list, if it was next in it. */
export type ClaimedReading = {
  readonly id: BotId;
  readonly position: string;
  readonly hash: ReadonlyMap<string, string>;
};

/** What a reading found. `result` is stored as the bot's `read_result`. */
export type ReadingResult = {
  readonly id: BotId;
  readonly result: string;
  readonly template: 'found' | 'missing' | 'unknown';
  readonly validators?: TemplateValidators | undefined;
  /** How long the provider is to be left alone, and the position that the cursor goes back to, or ''. */
  readonly pause?: { readonly forMs: number; readonly position: string };
};

/** The last reading of a template, and what it found; `unavailable`: the provider did not respond. */
export type LastReading = { readonly atMs: number; readonly found: 'found' | 'missing' | 'unavailable' };

/** The results of readings that found no template. All other readings found it. */
const without: Readonly<Record<string, LastReading['found']>> = {
  template_not_found: 'missing',
  template_provider_unavailable: 'unavailable',
};

const dayMs = 86_400_000;
/** A bot is withdrawn when its template has been missing this often in a row, and for this long. */
const missesBefore = 3;
const missingBeforeMs = 3 * dayMs;
/** How long until a missing template is read again; and the most for one that has been gone for long. */
const missingAgainMs = dayMs;
const goneAgainMs = 30 * dayMs;
/** If more than one listed bot of so many is missing, it is the provider that is broken. */
const missingShare = 20;

export type ReadingStore = ReturnType<typeof createReadingStore>;

export const createReadingStore = (store: Store) => ({
  /** Claims at most `most` readings, so that a pass over all bots takes `passMs`. `waitMs`: until the next. */
  claimNext: async (most: number, passMs: number): Promise<{ waitMs: number; claimed: readonly ClaimedReading[] }> => {
    const { rechecks, bots, missing, gone, state } = keys;
    const args = [most, passMs, limits.refreshSec];
    const reply = await store.script('claim-rechecks', [rechecks, bots, missing, gone, state], args);
    const [waitMs, found] = reply as [string, [id: string, position: string, hash: string[]][]];
    return {
      waitMs: Number(waitMs),
      claimed: found.map(([id, position, hash]) => ({ id: id as BotId, position, hash: toMap(hash) })),
    };
  },

  record: async ({ id, result, template, validators, pause }: ReadingResult): Promise<void> => {
    const { rechecks, missing, gone } = keys;
    await store.script(
      'record-reading',
      [keys.bot(id), rechecks, missing, gone],
      [
        id,
        result,
        template,
        validators?.etag ?? '',
        validators?.lastModified ?? '',
        missingAgainMs,
        goneAgainMs,
        pause?.forMs ?? 0,
        pause?.position ?? '',
      ],
    );
  },

  /** What the last reading of a bot's template found; undefined if there was none, or its text was refused. */
  lastOf: async (id: BotId): Promise<LastReading | undefined> => {
    const [at, result] = await store.call((redis) => redis.hmget(keys.bot(id), 'read_at', 'read_result'));
    if (typeof at !== 'string' || typeof result !== 'string' || result === 'submission_blocked') return undefined;
    return { atMs: Number(at), found: without[result] ?? 'found' };
  },

  /** Withdraws a bot, unless it is too early, or so many are missing that it is `held`. */
  withdraw: async (id: BotId, eventId: EventId): Promise<'withdrawn' | 'early' | 'held'> =>
    (await store.script('withdraw-gone', movingKeys('bot', keys.bot(id)), [
      id,
      eventId,
      missesBefore,
      missingBeforeMs,
      missingShare,
      missingAgainMs,
    ])) as 'withdrawn' | 'early' | 'held',

  /** Lists a bot again whose template is back, with these fields, in one step; see `Edit`. */
  bringBack: async ({
    id,
    hash,
    fields,
    eventId,
    blocksVersion,
  }: BringBack): Promise<'missing' | 'outdated' | 'changed'> =>
    (await store.script('bring-back', movingKeys('bot', keys.bot(id)), [
      id,
      eventId,
      blocksVersion,
      ...changeArgs(hash, fields),
    ])) as 'missing' | 'outdated' | 'changed',
});

type BringBack = Pick<Edit, 'id' | 'hash' | 'fields'> & {
  readonly eventId: EventId;
  readonly blocksVersion: number;
};
