/**
 * Notifies the operator at an address of the operator's own: of reports, of bots that wait for approval, and of a wave
 * of refused submissions. It looks now and then, so that no request waits for it and a flood is one message; the store
 * knows what was said, so any number of processes may run it.
 */
import { StoreUnreachable } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { repeat, type Repeated } from '../base/repeat.ts';
import { timestamp, type Clock } from '../base/time.ts';
import { formatted } from '../domain/format.ts';
import type { NoticeEnvelope, OperatorWebhook } from '../domain/notice.ts';
import type { SendWebhook } from '../outbound/send-webhook.ts';
import type { NoticeStore } from '../store/reports/notice-store.ts';

/** `pollMs`: how often it looks. */
export type NoticeDeps = {
  readonly notices: Pick<NoticeStore, 'claim' | 'settle'>;
  readonly sendWebhook: SendWebhook;
  readonly ids: Pick<Ids, 'event' | 'delivery'>;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly pollMs: number;
  readonly log: Log;
};

/** Starts it. `stop()` resolves when the notice under way is sent. */
export const startNotices = (deps: NoticeDeps, webhook: OperatorWebhook): Repeated =>
  repeat(async () => {
    try {
      await notify(deps, webhook);
    } catch (error) {
      // The store's own log lines say that it is away.
      if (!(error instanceof StoreUnreachable)) deps.log.error({ err: error }, 'the operator could not be notified');
    }
    return deps.pollMs;
  });

const notify = async (deps: NoticeDeps, { url, format }: OperatorWebhook): Promise<void> => {
  const { notices, sendWebhook, ids, clock, baseUrl, log } = deps;
  const claimed = await notices.claim();
  if (claimed === undefined) return;
  const id = ids.event();
  const type = 'operator.notice';
  const envelope: NoticeEnvelope = { id, type, created_at: timestamp(clock()), data: claimed.notice };
  const body = Buffer.from(JSON.stringify(format === undefined ? envelope : formatted(format, { envelope, baseUrl })));
  const outcome = await sendWebhook({ url, id: ids.delivery(), eventId: id, type, format, body });
  const settled = await notices.settle(claimed, outcome.kind === 'delivered');
  if (outcome.kind === 'failed')
    log[settled === 'given up' ? 'error' : 'warn'](
      { failure: outcome.failure, status: outcome.status },
      settled === 'given up' ? 'a notice for the operator was given up' : 'a notice for the operator was not taken',
    );
};
