/** Deletes what is kept only for a time: events, and stopped webhooks once the log no longer has all they missed. */
import type { EventLog } from '../store/event-log.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

type Deps = {
  readonly events: Pick<EventLog, 'read' | 'trim'>;
  readonly webhooks: Pick<WebhookStore, 'forgetStopped'>;
};

/** Deletes events that are too old, and the stopped webhooks that missed any of them. */
export const clearOld = async ({ events, webhooks }: Deps): Promise<void> => {
  const [oldest] = await events.read(0, 1);
  const left = await events.trim();
  if (oldest !== undefined && oldest.number !== left?.number) await webhooks.forgetStopped(oldest.number);
};
