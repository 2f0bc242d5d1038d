/** An endpoint that has just accepted a ping does not wait for the next retry, which may be hours away. */
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { Problem, Webhook } from '@bot-directory/contract';
import { lateRetries, startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const test = useStarted(() => startDelivery({ settings: lateRetries }));
beforeEach(() => {
  test.receiver.received.length = 0;
  test.receiver.respond(204);
});

const register = (path: string, more: object = {}) =>
  test.post<Webhook & Problem>('/api/webhooks/bots', { url: test.receiver.url(path), ...more });

/** Registers a webhook that waits for an hour after a failure. */
const failing = async (path: string, more: object = {}): Promise<string> => {
  await test.register(path, more);
  test.receiver.respond((received, res) => res.writeHead(received.path === path ? 500 : 204).end());
  const slug = await test.publish(`For ${path}`);
  await until('it waits', async () => (await test.status(path)).next_attempt_at !== null);
  return slug;
};

it.each<[string, object]>([
  ['another secret', { secret: `whsec_${randomBytes(32).toString('base64')}` }],
  ['other headers', { headers: { 'X-Api-Key': 'abc' } }],
  ['another filter', { filter: { q: 'for' } }],
  ['the same again', {}],
])('A webhook that waits is sent its event at once when it is registered with %s', async (what, more) => {
  const path = `/${what.replaceAll(' ', '-')}`;
  const slug = await failing(path);
  expect((await register(path, more)).body).toMatchObject({ code: 'webhook_ping_failed' });
  expect(await test.status(path)).toMatchObject({
    failures_in_a_row: 1,
    next_attempt_at: expect.any(String) as string,
  });
  test.receiver.respond(204);
  expect((await register(path, more)).body).toMatchObject({ outcome: 'resumed' });
  await until('it is delivered', async () => (await test.status(path)).pending_events === 0);
  expect(test.slugs(path)).toEqual([slug, slug]);
  expect(await test.status(path)).toMatchObject({ failures_in_a_row: 0, next_attempt_at: null });
  expect((await register(path)).body).toMatchObject({ code: 'webhook_exists', outcome: 'unchanged' });
});
