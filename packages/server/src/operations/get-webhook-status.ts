/**
 * The status of a webhook, for anyone who knows its URL. We cannot contact its owner, so this is the only way to learn
 * of a stop.
 */
import type { WebhookStatus } from '@bot-directory/contract';
import { timestamp } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import type { WebhookTarget } from '../domain/webhook-url.ts';
import type { QueueState } from '../store/queue-state.ts';

/** Reads how deliveries to a URL are going. Failure: webhook_not_found. */
export const getWebhookStatus = async (
  { queue }: { readonly queue: QueueState },
  target: WebhookTarget,
): Promise<WebhookStatus> => {
  const state = await queue.statusOf(target);
  if (state === undefined) throw new Failure('webhook_not_found', 'Nothing is registered at this URL.');
  return {
    url: target.url,
    state: state.isStopped ? 'stopped' : 'active',
    failures_in_a_row: state.failures,
    pending_events: state.pending,
    last_failure: state.lastFailure ?? null,
    next_attempt_at: state.nextAttemptAtMs === undefined ? null : timestamp(state.nextAttemptAtMs),
  };
};
