/**
 * What the operator is notified of, for all processes together: a notice is claimed by one of them, and settled once it
 * was sent. Times are by the store's clock.
 */
import type { Notice } from '../../domain/notice.ts';
import { keys } from '../keys.ts';
import type { Store } from '../../redis/redis.ts';

/** How long one process has to send a notice. */
const leaseMs = 60_000;
/** How long after a notice there is no other: a flood of reports is a few messages. */
const restMs = 600_000;
/** A notice is given up after this many attempts: 1, 5, 25 and 125 minutes apart. */
const mostAttempts = 5;
const mostNamed = 10;
/** As many refused submissions in an hour are a wave. */
const wave = 20;

/** A notice, and where the next one begins. */
export type ClaimedNotice = { readonly notice: Notice; readonly next: readonly string[] };

type Reply = [
  reports: number,
  ownReports: number,
  waiting: number,
  refused: number,
  named: [about: string, reason: string, text: string][],
  slugs: string[],
  next: string[],
];

export type NoticeStore = ReturnType<typeof createNoticeStore>;

export const createNoticeStore = (store: Store) => ({
  /** Claims what is new since the last notice, if anything is and no other process has it. */
  claim: async (): Promise<ClaimedNotice | undefined> => {
    const reply = (await store.script(
      'claim-notice',
      [keys.notices, keys.reports, keys.withdrawn],
      [leaseMs, mostNamed, wave],
    )) as Reply | null;
    if (reply === null) return undefined;
    const [reports, own_reports, waiting, refused_submissions, named, slugs, next] = reply;
    const newest = named.map(([about, reason, text]) => ({ about, reason, text }));
    return {
      notice: { reports, own_reports, waiting, refused_submissions, newest_reports: newest, newest_waiting: slugs },
      next,
    };
  },

  /** Ends a notice. One that was not taken is due again later, unless it is given up. */
  settle: async ({ next }: ClaimedNotice, isTaken: boolean): Promise<'sent' | 'failed' | 'given up'> =>
    (await store.script(
      'settle-notice',
      [keys.notices, keys.state],
      [isTaken ? 1 : 0, restMs, mostAttempts, ...next],
    )) as 'sent' | 'failed' | 'given up',

  /** Counts a submission that a block refuses, without waiting: it is a figure, not a fact. */
  countRefused: (): void =>
    void store.call((redis) => redis.hincrby(keys.notices, 'refused', 1)).catch(() => undefined),
});
