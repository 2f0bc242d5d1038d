/**
 * Run in a namespace of its own by `far-endpoints.full.test.ts`: sends one ping, or fetches one template, for each line
 * of its input, and writes its outcome.
 */
import { createInterface } from 'node:readline';
import { createIds } from '../../../src/base/ids.ts';
import { parseNetwork } from '../../../src/domain/ip-address.ts';
import type { TemplateId } from '../../../src/domain/links.ts';
import { parseSigningKey, signingKeyText } from '../../../src/domain/signature.ts';
import { parseWebhookUrl } from '../../../src/domain/webhook-url.ts';
import { createFetchTemplate } from '../../../src/outbound/fetch-template.ts';
import { createResolve } from '../../../src/outbound/resolve.ts';
import { createSender } from '../../../src/outbound/send-webhook.ts';

/** What to do. `addresses`: those of the URL's host, for a ping. */
export type Order =
  | { readonly ping: string; readonly addresses: readonly string[]; readonly ca: string }
  | { readonly template: string };

const unwrap = <T>(parsed: { ok: true; value: T } | { ok: false; why: string }): T => {
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};
const everywhere = ['0.0.0.0/0', '::/0'].map((network) => unwrap(parseNetwork(network)));
const signingKey = unwrap(parseSigningKey(signingKeyText(Buffer.alloc(32, 1))));
const ids = createIds(Date.now);

const ping = (text: string, addresses: readonly string[], ca: string): Promise<unknown> => {
  const sender = createSender(
    { clock: Date.now, signingKeys: () => Promise.resolve([signingKey]) },
    {
      timeoutMs: 10_000,
      allowedNetworks: everywhere,
      resolve: () => Promise.resolve(addresses),
      ca,
      pingsPerOrigin: 1,
      onConnect: () => undefined,
    },
  );
  const { url } = unwrap(parseWebhookUrl(text, everywhere));
  return sender.send({ url, id: ids.delivery(), eventId: ids.event(), type: 'ping', body: Buffer.from('{}') });
};

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  const done =
    'ping' in order
      ? await ping(order.ping, order.addresses, order.ca)
      : await createFetchTemplate(order.template, createResolve())('weekly' as TemplateId);
  process.stdout.write(`${JSON.stringify(done)}\n`);
}
process.exit();
