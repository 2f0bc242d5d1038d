/** Every webhook's state, for the operator: ids only, because anyone who knows a URL may remove it. */
import { partitions, type Partition } from './keys.ts';
import { pendingAfter } from './queue-state.ts';
import type { Store } from './redis.ts';
import { scanHash } from './scan.ts';

/** `waiting`: its last attempt failed and will be retried. */
export type WebhookState = 'active' | 'waiting' | 'stopped';

/** A webhook as the operator sees it. `pending`: events that it has not been sent. */
export type ScannedWebhook = {
  readonly id: string;
  readonly state: WebhookState;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly pending: number;
  readonly nextAttemptAtMs: number | null;
};

/** All webhooks, in no order. */
export async function* scanWebhooks(store: Store): AsyncGenerator<ScannedWebhook> {
  for (const partition of partitions) {
    for await (const page of scanHash(store, partition.targets)) {
      for (const [id] of page) yield await readState(store, partition, id);
    }
  }
}

const readState = async (
  store: Store,
  { cursor, waiting, stopped, taken, failures }: Partition,
  id: string,
): Promise<ScannedWebhook> => {
  const [idle, position, due, isStopped, failed] = await store.call((redis) =>
    Promise.all([
      redis.zscore(cursor, id),
      redis.hget(taken, id),
      redis.zscore(waiting, id),
      redis.sismember(stopped, id),
      redis.hget(failures, id),
    ]),
  );
  const [count = '0', category = null] = failed?.split(':') ?? [];
  return {
    id,
    state: isStopped === 1 ? 'stopped' : due === null ? 'active' : 'waiting',
    failures: Number(count),
    last_failure: category,
    pending: await pendingAfter(store, idle ?? position?.split(':', 1)[0] ?? '0'),
    nextAttemptAtMs: due === null ? null : Number(due),
  };
};
