/** What delivery tests share: a service with receivers, short retry delays, and words for what they wait for. */
import { expect } from 'vitest';
import type { Webhook, WebhookStatus } from '@bot-directory/contract';
import { startReceiver, type Receiver } from './receiver.ts';
import { startService, type Service, type ServiceOptions } from './service.ts';

/** Retries that a test can wait for. */
const quickDelays = Array.from({ length: 9 }, () => '40ms').join(',');

/** Settings of a service whose webhooks are on this machine. */
export const deliverySettings = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_RETRY_DELAYS: quickDelays,
  // Longer than a test's receiver takes on a busy machine.
  WEBHOOK_TIMEOUT: '10s',
  WEBHOOK_LEASE: '20s',
};

/** For a test in which a webhook that has failed is not called again. */
export const lateRetries = { WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '1h').join(',') };

/** For a test that waits until the lease of a worker that has died runs out. */
export const shortLease = { WEBHOOK_TIMEOUT: '2s', WEBHOOK_LEASE: '4s' };

export type DeliveryTest = Service & {
  receiver: Receiver;
  /** `more`: the other members of the body. */
  register: (path?: string, more?: object) => Promise<Webhook>;
  status: (path?: string) => Promise<WebhookStatus>;
  slugs: (path?: string) => string[];
};

/** A service and one receiver that it trusts. */
export const startDelivery = async ({
  settings = {},
  world = {},
  ...options
}: ServiceOptions = {}): Promise<DeliveryTest> => {
  const receiver = await startReceiver();
  const service = await startService({
    ...options,
    settings: { ...deliverySettings, ...settings },
    world: { ca: receiver.ca, ...world },
  });
  return {
    ...service,
    receiver,
    register: async (path = '/', more = {}) => {
      const answer = await service.post<Webhook>('/api/webhooks/bots', { url: receiver.url(path), ...more });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    },
    status: async (path = '/') =>
      (await service.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(receiver.url(path))}`))
        .body,
    slugs: (path = '/') => receiver.events(path).map(({ data }) => data.slug ?? ''),
    stop: async () => {
      await service.stop();
      await receiver.stop();
    },
  };
};
