/**
 * A directory to measure with: its store filled and queried through the server's own scripts, without the HTTP API in
 * between.
 */
import { Redis } from 'ioredis';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { movedScripts } from '@bot-directory/testing/store';
import { createIds, type WebhookId } from '../../packages/server/src/base/ids.ts';
import { createLog } from '../../packages/server/src/base/log.ts';
import type { Subscription } from '../../packages/server/src/domain/subscription.ts';
import type { TemplateId } from '../../packages/server/src/domain/links.ts';
import { registrableDomain, type WebhookTarget } from '../../packages/server/src/domain/webhook-url.ts';
import { createBotStore } from '../../packages/server/src/store/bots/bot-store.ts';
import { createQueueState } from '../../packages/server/src/store/webhooks/queue-state.ts';
import { keys, partitionOf, webhookKeys } from '../../packages/server/src/store/keys.ts';
import { openStore } from '../../packages/server/src/redis/open-store.ts';
import { runScript, scripts } from '../../packages/server/src/redis/scripts.ts';
import { registrationArgs } from '../../packages/server/src/store/webhooks/webhook-store.ts';

const atOnce = 2_000;

/** Opens the directory in this Redis. `offsetMs`: how far the clock is from that of Redis. */
export const openDirectory = (redisUrl: string, offsetMs?: () => number) => {
  const opened = openStore([redisUrl], createLog('warn'));
  const store = offsetMs === undefined ? opened : movedScripts(opened, offsetMs);
  const redis = new Redis(redisUrl, { enableAutoPipelining: true });
  const ids = createIds(() => Date.now());
  const bots = createBotStore(store);
  const queue = createQueueState(store);
  let published = 0;

  return {
    redis,
    queue,
    ...registry(redis, () => ids.webhook()),
    /** Publishes a bot whose event is about 700 bytes long. Returns the event's id. */
    publish: async (): Promise<string> => {
      const id = ids.bot();
      const eventId = ids.event();
      const templateId = `template-${(published += 1)}-${process.pid}` as TemplateId;
      await bots.publish(draftWith({ ...draft, id, templateId, wantedSlug: templateId }), eventId, unblocked);
      return eventId;
    },
    /** Returns the last event, as it is sent. */
    lastEvent: async (): Promise<{ eventId: string; body: string }> => {
      const [[, fields] = ['', []]] = await redis.xrevrange(keys.events, '+', '-', 'COUNT', 1);
      const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
      return { eventId: field('id'), body: field('body') };
    },
    /** Waits until no webhook is behind, leased or waiting. */
    settled: async (): Promise<void> => {
      for (;;) {
        const { behind, leased, waiting } = await queue.counts();
        if (behind + leased + waiting === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    /** Returns the bytes that Redis has allocated for data and its own upkeep. */
    usedMemory: async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]),
    close: async (): Promise<void> => {
      redis.disconnect();
      await store.close();
    },
  };
};

const inBatches = async <T>(items: readonly T[], use: (item: T) => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < items.length; i += atOnce) await Promise.all(items.slice(i, i + atOnce).map(use));
};

/** Puts webhooks in and takes them out, without a ping. */
const registry = (redis: Redis, newId: () => WebhookId) => ({
  /**
   * Registers webhooks, which have the events up to number `cursor`, from the present on by default. `subscriptionOf`:
   * what each wants, by its number; by default, what every webhook gets.
   */
  register: async (
    webhooks: readonly WebhookTarget[],
    cursor?: number,
    subscriptionOf?: (number: number) => Subscription,
  ): Promise<void> => {
    const from = cursor ?? (await redis.hget(keys.state, 'events')) ?? '0';
    await inBatches([...webhooks.entries()], ([i, target]) =>
      runScript((use) => use(redis), scripts['add-webhook'], {
        keys: [...webhookKeys(partitionOf(target.host))],
        args: registrationArgs({ id: newId(), target, head: from, limits: [], subscription: subscriptionOf?.(i) }),
      }),
    );
  },
  /** Forgets webhooks. */
  unregister: (webhooks: readonly WebhookTarget[]): Promise<void> =>
    inBatches(webhooks, ({ url, host }) =>
      runScript((use) => use(redis), scripts['remove-webhook'], {
        keys: [...webhookKeys(partitionOf(host))],
        args: [url, host, registrableDomain(host), 'any'],
      }),
    ),
});

const draft = {
  name: 'Weekly Report',
  description:
    'Reads the numbers of the week from the sheets you point it at, writes a summary in plain words, and mails it on Monday. '.repeat(
      2,
    ),
  categories: ['Marketing'],
};
