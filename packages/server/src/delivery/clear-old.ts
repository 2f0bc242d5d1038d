/**
 * Deletes what is kept only for a time: events, stopped webhooks once the log no longer has all they missed, and
 * reports.
 */
import type { EventLog } from '../store/event-log.ts';
import type { ReportStore } from '../store/moderation-store.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

type Deps = {
  readonly events: Pick<EventLog, 'read' | 'trim'>;
  readonly webhooks: Pick<WebhookStore, 'forgetStopped' | 'lowestCursor'>;
  readonly reports: Pick<ReportStore, 'expire'>;
};

/**
 * Deletes events and reports that are too old, and the stopped webhooks that missed any of those events. An event that
 * an active webhook waits for stays, however old the clock says it is.
 */
export const clearOld = async ({ events, webhooks, reports }: Deps): Promise<void> => {
  const [oldest] = await events.read(0, 1);
  const left = await events.trim(await webhooks.lowestCursor());
  if (oldest !== undefined && oldest.number !== left?.number) await webhooks.forgetStopped(oldest.number);
  await reports.expire();
};
