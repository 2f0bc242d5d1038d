import { describe, expect, it } from 'vitest';
import type { Problem, Webhook } from '@bot-directory/contract';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const receiver = useStarted(startReceiver);
const service = useStarted(() =>
  startService({ settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, world: { ca: receiver.ca } }),
);

describe('registering a webhook', () => {
  it('names the webhook that is there, without a ping', async () => {
    const first = await service.post<Webhook>('/api/webhooks/bots', { url: receiver.url('/hook') });
    receiver.received.length = 0;
    for (const spelling of [
      receiver.url('/hook'),
      receiver.url('/a/../hook#x'),
      receiver.url('/hook').replace('https', 'HTTPS'),
    ]) {
      const again = await service.post<Problem>('/api/webhooks/bots', { url: spelling });
      expect([again.status, again.body.code]).toEqual([409, 'webhook_exists']);
      expect(again.body).toMatchObject({ ...first.body, outcome: 'unchanged' });
    }
    expect(receiver.received).toEqual([]);
  });
});
