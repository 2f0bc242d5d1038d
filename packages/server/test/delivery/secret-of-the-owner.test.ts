/** A webhook's owner may give a secret: deliveries are then signed with it too, and nothing shows or logs it. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { Webhook as OfficialVerifier } from 'standardwebhooks';
import { beforeEach, expect, it } from 'vitest';
import type { Problem, Webhook } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import type { Received } from '@bot-directory/testing/receiver';
import { callers } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startApp } from '../../src/app/start-app.ts';
import { readConfig } from '../../src/config.ts';

const newSecret = (bytes = 32): string => `whsec_${randomBytes(bytes).toString('base64')}`;

/** Whether the official library, which knows only scheme v1, verifies a delivery. */
const isVerifiedBy = (secret: string, { headers, body }: Received): boolean => {
  try {
    new OfficialVerifier(secret).verify(body.toString(), headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};
const schemes = ({ headers }: Received): string[] =>
  String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => signature.split(',')[0] ?? '');

const test = useStarted(startDelivery);
beforeEach(() => {
  test.receiver.received.length = 0;
  test.receiver.respond(204);
});

const register = (path: string, secret?: string) =>
  test.post<Webhook & Problem>('/api/webhooks/bots', { url: test.receiver.url(path), secret });
const sentTo = (path: string): Received[] => test.receiver.received.filter((received) => received.path === path);
/** Publishes a bot and waits for the delivery of it. */
const deliveryTo = async (path: string): Promise<Received> => {
  const slug = await test.publish(`For ${path} ${randomBytes(4).toString('hex')}`);
  await until('it is delivered', () => test.slugs(path).includes(slug));
  return sentTo(path).at(-1) as Received;
};

it.each([24, 32, 64])(
  'signs the ping and every event with a secret of %i bytes, in addition to the key of the service',
  async (bytes) => {
    const path = `/own-${bytes}`;
    const secret = newSecret(bytes);
    const answer = await register(path, secret);
    expect(answer).toMatchObject({ status: 200, body: { url: test.receiver.url(path), has_secret: true } });
    for (const received of [sentTo(path)[0] as Received, await deliveryTo(path)]) {
      expect(schemes(received)).toEqual(['v1a', 'v1']);
      expect([isVerifiedBy(secret, received), isVerifiedBy(newSecret(), received)]).toEqual([true, false]);
    }
  },
);

it('signs with the secret of each webhook, not of another, and leaves those without one as they were', async () => {
  const secrets = { '/one': newSecret(), '/two': newSecret() };
  for (const [path, secret] of Object.entries(secrets)) await register(path, secret);
  await register('/none');
  const slug = await test.publish('To three');
  await until('all have it', () => ['/one', '/two', '/none'].every((path) => test.slugs(path).includes(slug)));
  const last = (path: string) => sentTo(path).at(-1) as Received;
  expect(
    ['/one', '/two'].map((path) => Object.values(secrets).map((secret) => isVerifiedBy(secret, last(path)))),
  ).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(schemes(last('/none'))).toEqual(['v1a']);
});

it('is replaced by another registration of an active URL, whose ping is signed with the new one', async () => {
  const older = newSecret();
  const newer = newSecret();
  const first = await register('/replaced', older);
  const again = await register('/replaced', newer);
  expect([again.status, again.body]).toEqual([200, { ...first.body, outcome: 'replaced' }]);
  const [, ping] = sentTo('/replaced');
  expect([older, newer].map((secret) => isVerifiedBy(secret, ping as Received))).toEqual([false, true]);
  const delivered = await deliveryTo('/replaced');
  expect([older, newer].map((secret) => isVerifiedBy(secret, delivered))).toEqual([false, true]);
});

it('stays when the ping with another one is refused, so that a receiver that verifies keeps strangers from replacing it', async () => {
  const secret = newSecret();
  test.receiver.respond((received, res) => res.writeHead(isVerifiedBy(secret, received) ? 204 : 401).end());
  expect((await register('/guarded', secret)).status).toBe(200);
  expect(await register('/guarded', newSecret())).toMatchObject({ status: 400, body: { code: 'webhook_ping_failed' } });
  expect(isVerifiedBy(secret, await deliveryTo('/guarded'))).toBe(true);
});

it('is 409 without a ping when nothing would change: the same secret again, or none', async () => {
  const secret = newSecret();
  await register('/same', secret);
  for (const again of [secret, undefined])
    expect(await register('/same', again)).toMatchObject({ status: 409, body: { code: 'webhook_exists' } });
  expect(sentTo('/same')).toHaveLength(1);
  expect(isVerifiedBy(secret, await deliveryTo('/same'))).toBe(true);
});

it('can be given to a webhook that had none', async () => {
  await register('/later');
  const secret = newSecret();
  expect((await register('/later', secret)).status).toBe(200);
  expect(isVerifiedBy(secret, await deliveryTo('/later'))).toBe(true);
});

it('outlives a stop when the URL is registered again without one, and is replaced by one that comes', async () => {
  const older = newSecret();
  const newer = newSecret();
  for (const [again, inForce] of [
    [undefined, older],
    [newer, newer],
  ] as const) {
    const path = `/stopped-${String(again === undefined)}`;
    await register(path, older);
    test.receiver.respond(500);
    await test.publish('Refused');
    await until('it is stopped', async () => (await test.status(path)).state === 'stopped');
    test.receiver.respond(204);
    const resumed = await register(path, again);
    expect(resumed.status).toBe(200);
    expect(isVerifiedBy(inForce, sentTo(path).at(-1) as Received)).toBe(true);
    expect(isVerifiedBy(inForce, await deliveryTo(path))).toBe(true);
  }
});

it('is removed with the webhook', async () => {
  await register('/gone', newSecret());
  await test.api('DELETE', '/api/webhooks/bots', { body: { url: test.receiver.url('/gone') } });
  await register('/gone');
  expect(schemes(await deliveryTo('/gone'))).toEqual(['v1a']);
});

it('is the last one saved, if 20 registrations come at once', async () => {
  const secrets = Array.from({ length: 20 }, () => newSecret());
  const answers = await Promise.all(secrets.map((secret) => register('/raced', secret)));
  expect(answers.map(({ status }) => status)).toEqual(secrets.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  const delivered = await deliveryTo('/raced');
  expect(secrets.filter((secret) => isVerifiedBy(secret, delivered))).toHaveLength(1);
});

it.each([
  ['too short', newSecret(23)],
  ['too long', newSecret(65)],
  ['without its prefix', newSecret().slice('whsec_'.length)],
  ['a public key', newSecret().replace('whsec_', 'whpk_')],
  ['in base64url', `whsec_${'-_'.repeat(16)}`],
  ['not padded', newSecret(32).replace(/=+$/, '')],
  ['in base64 that is not canonical', `whsec_${'A'.repeat(42)}B=`],
  ['with white space', `${newSecret()}\n`],
  ['empty', ''],
  ['not a string', 7],
])('that is %s is 400, names the field and does not repeat it', async (_, secret) => {
  const answer = await test.post<Problem>('/api/webhooks/bots', { url: test.receiver.url('/bad'), secret });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer: '/secret' }] } });
  expect(answer.body.errors).toHaveLength(1);
  if (typeof secret === 'string' && secret.length > 20)
    expect(JSON.stringify(answer.body)).not.toContain(secret.slice(8, 20));
  expect(sentTo('/bad')).toEqual([]);
});

it('is in no response and in no log, at any level', async () => {
  let logged = '';
  const log = pino({ level: 'trace' }, { write: (line: string) => void (logged += line) });
  const config = readConfig({ ...test.environment, PORT: '0' });
  const app = await startApp(config, log, { ca: test.receiver.ca });
  const { post, get } = callers(`http://127.0.0.1:${app.port}`);
  const secret = newSecret();
  const other = newSecret();
  const url = test.receiver.url('/quiet');
  const answers: unknown[] = [];
  for (const body of [
    { url, secret },
    { url, secret },
    { url, secret: other },
    { url, secret: `${secret}=` },
  ])
    answers.push((await post('/api/webhooks/bots', body)).body);
  test.receiver.respond(500);
  answers.push((await post('/api/webhooks/bots', { url, secret })).body);
  test.receiver.respond(204);
  await deliveryTo('/quiet');
  answers.push((await get(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body);
  answers.push((await get('/metrics')).body);
  await app.stop();
  expect(logged).toContain('listening');
  for (const text of [logged, JSON.stringify(answers)])
    for (const one of [secret, other]) expect(text).not.toContain(one.slice(8, 24));
});
