import { createPublicKey, verify } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventSchemas, type Webhook, type WebhookKeys } from '@bot-directory/contract';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const receiver = useStarted(startReceiver);
const service = useStarted(() =>
  startService({ settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, world: { ca: receiver.ca } }),
);
beforeEach(() => {
  receiver.received.length = 0;
  receiver.respond(204);
});

describe('registering a webhook', () => {
  it('pings the URL with exactly the documented headers and envelope, and saves it', async () => {
    const answer = await service.post<Webhook>('/api/webhooks/bots', { url: receiver.url('/hook?x=1#fragment') });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^wh_[0-9A-Z]{26}$/) as string,
      url: receiver.url('/hook?x=1'),
      outcome: 'added',
      events: ['bot.created'],
      filter: null,
      format: null,
      has_secret: false,
      has_headers: false,
    });
    expect(receiver.received).toHaveLength(1);
    const [{ headers, body, path } = { headers: {}, body: Buffer.of(), path: '' }] = receiver.received;
    const envelope = eventSchemas.ping.strict().parse(JSON.parse(body.toString()));
    expect(envelope.id).toMatch(/^evt_[0-9A-Z]{26}$/);
    expect(envelope.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(envelope.data).toEqual({});
    expect(path).toBe('/hook?x=1');
    expect(headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'close',
      accept: '*/*',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'Service-Webhook/1.0',
      'x-service-event': 'ping',
      'x-service-delivery': expect.stringMatching(/^dlv_[0-9A-Z]{26}$/) as string,
      'webhook-id': envelope.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
      'webhook-signature': expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/) as string,
    });
  });

  it('signs the ping with a published key', async () => {
    await service.post('/api/webhooks/bots', { url: receiver.url('/signed') });
    const { body: published } = await service.get<WebhookKeys>('/api/webhooks/keys');
    const raw = Buffer.from(published.keys[0]?.public_key.replace('whpk_', '') ?? '', 'base64');
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
      format: 'der',
      type: 'spki',
    });
    const [{ headers, body } = { headers: {} as Record<string, string>, body: Buffer.of() }] = receiver.received;
    const content = Buffer.concat([
      Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`),
      body,
    ]);
    expect(verify(null, content, key, Buffer.from(String(headers['webhook-signature']).slice(4), 'base64'))).toBe(true);
  });

  it.each([200, 201, 202, 299])('accepts a ping that is answered with %i', async (status) => {
    receiver.respond(status);
    expect((await service.post('/api/webhooks/bots', { url: receiver.url(`/status-${status}`) })).status).toBe(200);
  });

  it('gives one 200 to 20 concurrent registrations of one URL', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.post<Webhook>('/api/webhooks/bots', { url: receiver.url('/raced') })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('accepts a ping that is answered with a body of any size', async () => {
    receiver.respond((_received, res) => res.writeHead(200).end(Buffer.alloc(200_000)));
    expect((await service.post('/api/webhooks/bots', { url: receiver.url('/large') })).status).toBe(200);
  });
});
