import { beforeEach, describe, expect, it } from 'vitest';
import { Webhook as OfficialVerifier } from 'standardwebhooks';
import { webhookTest, type Problem, type WebhookTest } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { useStarted } from '@bot-directory/testing/use-started';

const test = useStarted(startDelivery);
beforeEach(() => {
  test.receiver.received.length = 0;
  test.receiver.respond(204);
});

const send = (path: string) =>
  test.post<WebhookTest & Problem>('/api/webhooks/bots/test', { url: test.receiver.url(path) });

describe('testing a webhook', () => {
  it('sends a ping as deliveries are sent: with its secret, its headers and its format', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await test.register('/own', { secret, headers: { 'X-Api-Key': 'abc' }, format: 'cloudevents' });
    test.receiver.received.length = 0;
    const { status, body: result } = await send('/own');
    expect([status, webhookTest.strict().parse(result)]).toEqual([
      200,
      {
        url: test.receiver.url('/own'),
        status: 204,
        failure: null,
        duration_ms: expect.any(Number),
        detail: result.detail,
      },
    ]);
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = test.receiver.received;
    expect(headers).toMatchObject({
      'x-service-event': 'ping',
      'x-api-key': 'abc',
      'content-type': 'application/cloudevents+json',
    });
    new OfficialVerifier(secret).verify(body.toString(), headers as Record<string, string>);
    expect(await test.status('/own')).toMatchObject({ failures_in_a_row: 0, last_attempts: [] });
  });

  it.each([
    [401, 'It responded with 401, not with a 2xx status.'],
    [405, 'It responded with 405, not with a 2xx status.'],
    [302, /^It responded with the redirect 302, which leads to elsewhere\.example\.com\. Redirects are not followed/],
  ])('reports a %i, and changes nothing', async (status, detail) => {
    await test.register(`/${status}`);
    test.receiver.respond((_received, res) =>
      res.writeHead(status, { Location: 'https://elsewhere.example.com/x' }).end(),
    );
    expect((await send(`/${status}`)).body).toMatchObject({
      status,
      failure: 'status',
      detail: typeof detail === 'string' ? detail : (expect.stringMatching(detail) as string),
    });
    expect(await test.status(`/${status}`)).toMatchObject({ failures_in_a_row: 0, last_failure: null });
  });

  it('names where a redirect points to only if that is a public name', async () => {
    await test.register('/moved');
    const places = [
      'https://10.0.0.5/admin',
      'https://8.8.8.8/',
      'https://[2001:db8::1]/',
      'https://0x0a000005/',
      'https://db.internal/',
      'https://printer/',
      'intranet://10.5/',
      `https://${'a.'.repeat(2_500)}example.com/`,
      'https://',
    ];
    for (const location of places) {
      test.receiver.respond((_received, res) => res.writeHead(302, { Location: location }).end());
      expect((await send('/moved')).body.detail, location).toBe(
        'It responded with the redirect 302. Redirects are not followed: use the final address.',
      );
    }
  });

  it('calls only what a client would follow a redirect', async () => {
    await test.register('/other');
    for (const status of [300, 304, 305, 399]) {
      test.receiver.respond((_received, res) =>
        res.writeHead(status, { Location: 'https://elsewhere.example.com/' }).end(),
      );
      expect((await send('/other')).body.detail).toBe(`It responded with ${status}, not with a 2xx status.`);
    }
  });

  it('reports an endpoint that closes the connection', async () => {
    await test.register('/closes');
    test.receiver.respond((_received, res) => void res.socket?.destroy());
    expect((await send('/closes')).body).toMatchObject({
      status: null,
      failure: 'connect',
      detail: 'It accepted no connection, or closed it without a response.',
    });
  });

  it('is a 404 if nothing is registered at the URL, and sends nothing', async () => {
    const answer = await send('/never');
    expect([answer.status, answer.body.code, test.receiver.received]).toEqual([404, 'webhook_not_found', []]);
  });

  it('is a 400 if the operator blocks the host, and sends nothing', async () => {
    await test.register('/blocked');
    test.receiver.received.length = 0;
    const operator = operatorOf(test.redis?.url ?? '');
    await operator.run('block', 'host', '127.0.0.1');
    const answer = await send('/blocked');
    await operator.run('unblock', 'host', '127.0.0.1');
    expect([answer.status, answer.body.code, test.receiver.received]).toEqual([400, 'submission_blocked', []]);
  });
});
