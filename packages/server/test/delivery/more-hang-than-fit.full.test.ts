import type { ServerResponse } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { anyAddress, namesOfOwners, ownerName } from '@bot-directory/testing/owners';
import { startReceiver } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const deliveryLimits = { all: 128, perDomain: 16, perAddress: 32 };
/** More owners than a process has slots, so that they hang in several rounds. */
const hangingCount = 130;
const atOnce = 40;

let healthy: string[];
let hanging: string[];
useStarted(() => startNames(namesOfOwners));
const bad = useStarted(() => startReceiver(anyAddress));
const test = useStarted(() =>
  startDelivery({
    settings: {
      // However busy the machine is, no attempt times out while the healthy are served.
      WEBHOOK_TIMEOUT: '60s',
      WEBHOOK_LEASE: '120s',
      WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '10m').join(','),
    },
    world: { deliveryLimits },
  }),
);
beforeAll(() => {
  healthy = Array.from({ length: 5 }, (_, i) => `https://healthy-${i}.hooks.example.com:${test.receiver.port}/${i}`);
  hanging = Array.from({ length: hangingCount }, (_, i) => `https://${ownerName(i)}:${bad.port}/${i}`);
});

const forAll = async <T>(urls: readonly string[], ask: (url: string) => Promise<T>): Promise<T[]> => {
  const answers: T[] = [];
  for (let i = 0; i < urls.length; i += atOnce)
    answers.push(...(await Promise.all(urls.slice(i, i + atOnce).map(ask))));
  return answers;
};
const register = async (url: string): Promise<void> =>
  expect((await test.post('/api/webhooks/bots', { url })).status).toBe(200);
const statusOf = async (url: string): Promise<WebhookStatus> =>
  (await test.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body;

it('delivers every event while more origins hang than it has slots, and counts one failure of each', async () => {
  await forAll(healthy, register);
  const slugs = [await test.publish('Before')];
  const haveAll = (): boolean => healthy.every((_, i) => test.slugs(`/${i}`).length === slugs.length);
  await until('the healthy have the first', haveAll);
  await forAll(hanging, register);

  bad.received.length = 0;
  const held: ServerResponse[] = [];
  bad.respond((_received, res) => void held.push(res));
  for (let i = 0; i < 5; i += 1) {
    slugs.push(await test.publish(`While they hang ${i}`));
    await until('the healthy have it', haveAll);
  }
  expect(held.length).toBeGreaterThan(0);
  expect(
    held.filter(({ destroyed }) => destroyed),
    'attempts on the hanging that had to end first',
  ).toEqual([]);

  bad.respond(500);
  for (const res of held) res.writeHead(500).end();
  await until(
    'every hanging one was called, and its result is saved',
    async () => (await test.get<string>('/metrics')).body.includes(`webhooks_waiting ${hangingCount}\n`),
    60_000,
  );
  for (const [i] of healthy.entries()) expect(test.slugs(`/${i}`)).toEqual(slugs);
  const failed = { state: 'active', failures_in_a_row: 1, last_failure: 'status', pending_events: 5 };
  for (const status of await forAll(hanging, statusOf)) expect(status).toMatchObject(failed);
  expect(bad.received.map(({ path }) => path).sort()).toEqual(hanging.map((_, i) => `/${i}`).sort());
});
