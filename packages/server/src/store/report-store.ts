/** Reports of bots: kept for the operator, within bounds, and shown to nobody else. */
import type { ReportReason } from '@bot-directory/contract';
import type { BotId, ReportId } from '../base/ids.ts';
import { keys } from './keys.ts';
import { maxAuditLines, type Operator } from './moderation-store.ts';
import type { Store } from './redis.ts';

/** A report that is about to be saved. */
export type ReportDraft = {
  readonly id: ReportId;
  readonly botId: BotId;
  readonly reason: ReportReason;
  readonly text: string;
};

/** A report as the operator reads it. `atMs` is by the store's clock. */
export type StoredReport = ReportDraft & { readonly atMs: number };

/** The most reports kept of one bot, and in all; older ones are deleted. */
const maxPerBot = 100;
const maxReports = 10_000;

export type ReportStore = ReturnType<typeof createReportStore>;

/** The reports. */
export const createReportStore = (store: Store) => ({
  /** Saves a report, if the bot is listed. */
  add: async ({
    id,
    botId,
    reason,
    text,
  }: ReportDraft): Promise<'kept' | 'missing' | 'hidden' | 'pending' | 'removed'> =>
    (await store.script(
      'report-bot',
      [keys.bot(botId), keys.reports],
      [id, botId, reason, text, store.offsetMs(), maxPerBot, maxReports, keys.directoryPrefix],
    )) as 'kept' | 'missing' | 'hidden' | 'pending' | 'removed',

  /** All reports, oldest first. */
  list: async (): Promise<readonly StoredReport[]> => {
    const ids = (await store.call((redis) => redis.zrange(keys.reports, '0', '-1'))) as ReportId[];
    const found = await Promise.all(ids.map((id) => store.call((redis) => redis.hgetall(keys.report(id)))));
    return found.flatMap((fields, i) => {
      const id = ids[i];
      return id === undefined || fields.bot === undefined ? [] : [toReport(id, fields)];
    });
  },

  /** Closes the reports of bots, by slug, in one step. Returns how many there were. */
  close: async (bots: ReadonlyMap<string, BotId>, operator: Operator): Promise<number> =>
    (await store.script(
      'close-reports',
      [keys.reports, keys.audit],
      [
        ...[keys.directoryPrefix, store.offsetMs(), maxAuditLines, operator.name, operator.command],
        ...[...bots].flatMap(([slug, id]) => [id, slug]),
      ],
    )) as number,
});

const toReport = (id: ReportId, fields: Record<string, string>): StoredReport => ({
  id,
  botId: fields.bot as BotId,
  reason: fields.reason as ReportReason,
  text: fields.text ?? '',
  atMs: Number(fields.at),
});
