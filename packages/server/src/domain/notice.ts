/** What the operator is notified of, at an address of the operator's own. */
import type { WebhookFormat } from '@bot-directory/contract';
import type { WebhookUrl } from './webhook-url.ts';

/** Where, and in which format, if not as an envelope. */
export type OperatorWebhook = { readonly url: WebhookUrl; readonly format: WebhookFormat | undefined };

/** What is new since the last notice. */
export type Notice = {
  /** Reports of clients. */
  readonly reports: number;
  /** Reports of the service itself: look-alikes, and texts that are blocked. */
  readonly own_reports: number;
  /** Bots that wait for approval. */
  readonly waiting: number;
  /** Submissions that blocks refused, if they were many. */
  readonly refused_submissions: number;
  /** The newest reports, at most ten: `about` is a bot's slug or a post's URL. */
  readonly newest_reports: readonly { readonly about: string; readonly reason: string; readonly text: string }[];
  /** The slugs of the newest bots that wait, at most ten. */
  readonly newest_waiting: readonly string[];
};

/** A notice as an event. */
export type NoticeEnvelope = {
  readonly id: string;
  readonly type: 'operator.notice';
  readonly created_at: string;
  readonly data: Notice;
};

/** What a message says of a notice. */
export const noticeInWords = (notice: Notice): { readonly title: string; readonly text: string } => {
  const { reports, own_reports, waiting, refused_submissions, newest_reports, newest_waiting } = notice;
  const counts = [
    counted(reports, 'report'),
    counted(own_reports, 'finding', ' of the directory itself'),
    counted(waiting, 'bot', ` ${waiting === 1 ? 'waits' : 'wait'} for approval`),
    counted(refused_submissions, 'submission', ' refused by blocks'),
  ];
  const lines = [
    ...newest_reports.map(({ about, reason, text }) => `${reason}: ${about}${text === '' ? '' : ` · ${text}`}`),
    ...newest_waiting.map((slug) => `waits for approval: ${slug}`),
  ];
  return { title: counts.filter((count) => count !== '').join(', '), text: lines.join('\n') };
};

const counted = (count: number, noun: string, more = ''): string =>
  count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}${more}`;
