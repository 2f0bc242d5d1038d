import { afterAll, beforeAll, expect, it } from 'vitest';
import { createIds } from '../base/ids.ts';
import { parseNetwork } from '../domain/ip-address.ts';
import { parseSigningKey, signingKeyText } from '../domain/signature.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';
import { startReceiver, type Receiver } from '../../test/support/receiver.ts';
import { createSender } from './send-webhook.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const unwrap = <T>(parsed: { ok: true; value: T } | { ok: false; why: string }): T => {
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};
const everything = ['0.0.0.0/0', '::/0'].map((network) => unwrap(parseNetwork(network)));
const key = unwrap(parseSigningKey(signingKeyText(Buffer.alloc(32, 1))));
const ids = createIds(Date.now);

/** Sends to a URL that was registered while every network was allowed. */
const sendTo = async (url: string, addresses: readonly string[] = []) => {
  const sender = createSender(
    { clock: Date.now, signingKeys: () => Promise.resolve([key]) },
    {
      timeoutMs: 2_000,
      allowedNetworks: [],
      resolve: () => Promise.resolve(addresses),
      ca: receiver.ca,
      connectionsPerOrigin: 1,
    },
  );
  const target = unwrap(parseWebhookUrl(url, everything));
  const outcome = await sender.send({
    url: target.url,
    id: ids.delivery(),
    eventId: ids.event(),
    type: 'ping',
    body: Buffer.from('{}'),
  });
  await sender.close();
  return outcome;
};

it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254'])(
  'refuses the literal %s at the connection itself, for no look-up sees it',
  async (host) => {
    const before = receiver.connections;
    expect(await sendTo(`https://${host}:${receiver.port}/`)).toEqual({
      kind: 'failed',
      failure: 'forbidden_address',
      isOurs: false,
    });
    expect(receiver.connections).toBe(before);
  },
);

it('refuses a name that has moved to a private address', async () => {
  const before = receiver.connections;
  expect(await sendTo(`https://good.hooks.example.com:${receiver.port}/`, ['127.0.0.1'])).toEqual({
    kind: 'failed',
    failure: 'forbidden_address',
    isOurs: false,
  });
  expect(receiver.connections).toBe(before);
});
