/**
 * Reports of bots and posts, which are kept for the operator. A client has one report of a subject for each reason, and
 * whatever it adds is in its text. Beyond the limits, the oldest of the client with the most reports goes, so that
 * nobody drives out the others'.
 */
import type { ReportReason } from '@bot-directory/contract';
import type { BotId, PostId, ReportId } from '../base/ids.ts';
import { markOf } from './client-mark.ts';
import { keys } from './keys.ts';
import { maxAuditLines, type Operator } from './moderation-store.ts';
import type { Store } from './redis.ts';

/** What the service itself reports to the operator. */
export type FlagReason = 'blocked_text' | 'look_alike';

/** A report that is about to be saved. `network`: that of the client; without it, the service reports. */
export type ReportDraft = {
  readonly id: ReportId;
  readonly subject: BotId | PostId;
  readonly reason: ReportReason | FlagReason;
  readonly text: string;
  readonly network?: string;
};

/** A report as the operator reads it. `client`: a mark of it. `atMs` is by the store's clock. */
export type StoredReport = Omit<ReportDraft, 'network'> & { readonly client: string; readonly atMs: number };

/** The client of the service's own reports. */
const service = 'service';

/** The most reports kept of one subject, and in all, and for how long. */
const maxPerBot = 100;
const maxReports = 10_000;
/** A network, such as that of a carrier, may have many people: what does not fit is a report of its own. */
const maxTextBytes = 4_000;
const reportsForMs = 180 * 24 * 3_600_000;
const reportPage = 100;

/** Why a report is not saved. */
type Unlisted = 'missing' | 'hidden' | 'pending' | 'removed';

/** Whether a report was saved. */
export const isSaved = (outcome: ReportId | Unlisted): outcome is ReportId => outcome.startsWith('rep_');

export type ReportStore = ReturnType<typeof createReportStore>;

/** Returns the key of the hash of a bot or a post. */
export const keyOf = (subject: BotId | PostId): string =>
  subject.startsWith('post_') ? keys.post(subject as PostId) : keys.bot(subject as BotId);

/** The reports. */
export const createReportStore = (store: Store) => ({
  /** Saves a report, if its subject is listed, and returns its id: that of the client's earlier one, if it has one. */
  add: async ({ id, subject, reason, text, network }: ReportDraft): Promise<ReportId | Unlisted> => {
    const client = network === undefined ? service : await markOf(store, network);
    const args = [id, subject, reason, text, maxPerBot, maxReports, maxTextBytes, client];
    return (await store.script('report-bot', [keyOf(subject), keys.reports, keys.state], args)) as ReportId | Unlisted;
  },

  /** All reports, oldest first. */
  list: async (): Promise<readonly StoredReport[]> => {
    const ids = (await store.call((redis) => redis.zrange(keys.reports, '0', '-1'))) as ReportId[];
    const found = await Promise.all(ids.map((id) => store.call((redis) => redis.hgetall(keys.report(id)))));
    return found.flatMap((fields, i) => {
      const id = ids[i];
      return id === undefined || fields.bot === undefined ? [] : [toReport(id, fields)];
    });
  },

  /** Deletes reports that are too old. Any process may call it at any time. */
  expire: async (): Promise<void> => {
    while ((await store.script('expire-reports', [keys.reports], [reportsForMs, reportPage])) === reportPage);
  },

  /** Closes reports in one step. `names`: of their bots and posts, for the audit line. Returns how many there were. */
  close: async (ids: readonly ReportId[], names: readonly string[], operator: Operator): Promise<number> =>
    (await store.script(
      'close-reports',
      [keys.reports, keys.audit],
      [maxAuditLines, operator.name, operator.command, names.join(','), ...ids],
    )) as number,
});

const toReport = (id: ReportId, fields: Record<string, string>): StoredReport => ({
  id,
  subject: fields.bot as BotId | PostId,
  reason: fields.reason as ReportDraft['reason'],
  text: fields.text ?? '',
  client: fields.client ?? '',
  atMs: Number(fields.at),
});
