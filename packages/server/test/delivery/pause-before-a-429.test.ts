/** Discord and others say when they will refuse the next request. It is not sent before that. */
import { expect, it } from 'vitest';
import type { Webhook } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const test = useStarted(startDelivery);

it('waits as long as an endpoint says that nothing remains, and counts no failure', async () => {
  await test.register('/limited');
  await test.register('/other');
  let remaining = 2;
  test.receiver.respond(({ path }, res) => {
    if (path === '/limited') remaining -= 1;
    res.writeHead(204, {
      'X-RateLimit-Remaining': String(Math.max(0, remaining)),
      'X-RateLimit-Reset-After': '3600.5',
    });
    res.end();
  });
  const slugs = [];
  for (let i = 1; i <= 3; i += 1) slugs.push(await test.publish(`Limited ${i}`));
  await until('it waits', async () => (await test.status('/limited')).next_attempt_at !== null);
  expect(await test.status('/limited')).toMatchObject({ failures_in_a_row: 0, pending_events: 1, last_failure: null });
  expect(test.slugs('/limited')).toEqual(slugs.slice(0, 2));
  await until('it holds up no other', () => test.slugs('/other').length === 3);
  // A ping that is accepted ends the wait, as it ends that for a retry.
  test.receiver.respond(204);
  const again = await test.post<Webhook>('/api/webhooks/bots', { url: test.receiver.url('/limited') });
  expect(again.body).toMatchObject({ outcome: 'resumed' });
  await until('it has the last', async () => (await test.status('/limited')).pending_events === 0);
  expect(test.slugs('/limited')).toEqual(slugs);
});
