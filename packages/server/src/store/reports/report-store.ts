/**
 * Reports of bots and posts, which are kept for the operator. A client has one report of a subject for each reason, and
 * whatever it adds is in its text. Beyond a client's limit its oldest goes, and beyond that of all, the oldest of the
 * client with the most, so that nobody drives out the others'.
 */
import type { ReportReason } from '@bot-directory/contract';
import type { BotId, PostId, ReportId } from '../../base/ids.ts';
import { markOf } from '../client-mark.ts';
import { keys } from '../keys.ts';
import { maxAuditLines, type Operator } from '../moderation/moderation-store.ts';
import { scanHash, type Store } from '../../redis/redis.ts';

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

/**
 * The most reports kept of one client, and in all, and for how long. Saving one reads the names of all, which blocks
 * the store for 3 ms when there are 2,000; with 10,000 it would be 20 ms.
 */
const maxPerClient = 100;
const maxReports = 2_000;
/** A network, such as that of a carrier, may have many people: what does not fit is a report of its own. */
const maxTextBytes = 4_000;
const reportsForMs = 180 * 24 * 3_600_000;

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
    const most = client === service ? maxReports : maxPerClient;
    const args = [id, subject, reason, text, most, maxReports, maxTextBytes, client];
    return (await store.script('report-bot', [keyOf(subject), keys.reports, keys.state], args)) as ReportId | Unlisted;
  },

  /** All reports, oldest first. */
  list: async (): Promise<readonly StoredReport[]> => {
    const reports = new Map<ReportId, StoredReport>();
    for await (const page of scanHash(store, keys.reports))
      for (const [name, value] of page) {
        const report = toReport(name, value);
        if (report !== undefined) reports.set(report.id, report);
      }
    return [...reports.values()].sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
  },

  /** Deletes reports that are too old. Any process may call it at any time. */
  expire: async (): Promise<void> => {
    await store.script('expire-reports', [keys.reports], [reportsForMs]);
  },

  /** Closes reports in one step. `names`: of their bots and posts, for the audit line. Returns how many there were. */
  close: async (reports: readonly StoredReport[], names: readonly string[], operator: Operator): Promise<number> =>
    (await store.script(
      'close-reports',
      [keys.reports, keys.audit],
      [maxAuditLines, operator.name, operator.command, names.join(','), ...reports.map((report) => toField(report)[0])],
    )) as number,
});

/** A report as a field of the hash, and its value. */
export const toField = ({ id, subject, client, reason, atMs, text }: StoredReport): [name: string, value: string] => [
  `${id} ${subject} ${client} ${reason}`,
  `${atMs} ${text}`,
];

/** Parses such a field; undefined if it is none. */
export const toReport = (name: string, value: string): StoredReport | undefined => {
  const [id, subject, client, reason] = name.split(' ');
  const [, at, text] = /^(\d+) (.*)$/s.exec(value) ?? [];
  if (client === undefined || reason === undefined || at === undefined || text === undefined) return undefined;
  return {
    id: id as ReportId,
    subject: subject as BotId | PostId,
    client,
    reason: reason as ReportDraft['reason'],
    atMs: Number(at),
    text,
  };
};
