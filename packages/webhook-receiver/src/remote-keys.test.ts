import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, KeysUnavailableError, SignatureError, TimestampTooOldError } from './errors.ts';
import { parse } from './parse.ts';
import { remoteKeys, type RemoteKeysOptions } from './remote-keys.ts';
import { generateKeyPair, generateSecret, sampleEvent, signedDelivery } from './testing/index.ts';

const [older, newer, stranger] = await Promise.all([generateKeyPair(), generateKeyPair(), generateKeyPair()]);

let answer: RequestListener;
let asked: string[] = [];
let clock = 1_800_000_000_000;
const server = createServer((request, response) => {
  asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
  answer(request, response);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const entry = (key: string) => ({ id: 'k', algorithm: 'ed25519', public_key: key });
const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify(body));
const listed = (...keys: string[]) => json({ keys: keys.map(entry) });
beforeEach(() => {
  asked = [];
  answer = listed(older.publicKey);
});

const source = (options: RemoteKeysOptions = {}) => remoteKeys(origin, { now: () => clock, ...options });
const parseBy = async (keys: ReturnType<typeof source>, { privateKey }: { privateKey: string }, at = clock) => {
  const { body, headers } = await signedDelivery({ event: sampleEvent('ping'), key: privateKey, at });
  return parse(body, headers, { keys: [generateSecret(), keys], now: () => clock });
};

describe('keys of the service', () => {
  it('are fetched once from the key route, even for many deliveries at once', async () => {
    const keys = source();
    await Promise.all([parseBy(keys, older), parseBy(keys, older), parseBy(keys, older)]);
    await parseBy(keys, older);
    expect(asked).toEqual(['GET /api/webhooks/keys']);
    for (const address of [`${origin}/`, new URL(origin)])
      expect(await remoteKeys(address).current(false)).toEqual([older.publicKey]);
    expect(asked).toHaveLength(3);
  });

  it.each([Infinity, 2 ** 31])('are waited for with timeoutMs %d', async (timeoutMs) => {
    answer = (request, response) => void setTimeout(() => listed(older.publicKey)(request, response), 50);
    await expect(parseBy(source({ timeoutMs }), older)).resolves.toMatchObject({ type: 'ping' });
  });

  it('are fetched once more for an unknown key, and then not for a while', async () => {
    const keys = source();
    await parseBy(keys, older);
    answer = listed(newer.publicKey, older.publicKey);
    await expect(parseBy(keys, newer)).rejects.toThrow(SignatureError);
    expect(asked).toHaveLength(1);
    clock += 10_000;
    await Promise.all([parseBy(keys, newer), parseBy(keys, newer), parseBy(keys, older)]);
    for (let count = 0; count < 5; count++) await expect(parseBy(keys, stranger)).rejects.toThrow(SignatureError);
    expect(asked).toHaveLength(2);
  });

  it('are not fetched again for a delivery that another key has signed', async () => {
    const keys = source();
    const secret = generateSecret();
    await parseBy(keys, older);
    clock += 10_000;
    const { body, headers } = await signedDelivery({ event: sampleEvent('ping'), key: secret, at: clock });
    await parse(body, headers, { keys: [keys, secret], now: () => clock });
    expect(asked).toHaveLength(1);
  });

  it('are not fetched for a delivery that fails without them', async () => {
    const keys = source();
    await expect(parseBy(keys, older, clock - 301_000)).rejects.toThrow(TimestampTooOldError);
    const { body, headers } = await signedDelivery({ key: older.privateKey, at: clock });
    for (const signature of ['v2,AAAA', 'v1a,', 'v1a,AAB=', 'v1a,A A', 'junk']) {
      const refused = parse(body, { ...headers, 'webhook-signature': signature }, { keys, now: () => clock });
      await expect(refused).rejects.toThrow(SignatureError);
    }
    expect(asked).toEqual([]);
  });

  it('stop counting when the service no longer lists them', async () => {
    const keys = source();
    await parseBy(keys, older);
    answer = listed(newer.publicKey);
    clock += 3_599_999;
    await parseBy(keys, older);
    clock += 1;
    await expect(parseBy(keys, older)).rejects.toThrow(SignatureError);
  });

  it('stay in force while the service cannot be reached', async () => {
    const keys = source();
    await parseBy(keys, older);
    answer = json({}, 503);
    clock += 3_600_000;
    await parseBy(keys, older);
    clock += 9_999;
    await parseBy(keys, older);
    expect(asked).toHaveLength(2);
  });

  it('are fetched again ten seconds after a first failure', async () => {
    const keys = source();
    answer = json({}, 503);
    for (let count = 0; count < 3; count++) await expect(parseBy(keys, older)).rejects.toThrow(KeysUnavailableError);
    expect(asked).toHaveLength(1);
    answer = listed(older.publicKey);
    clock += 10_000;
    await parseBy(keys, older);
  });

  it('are fetched again when the clock is set back after a failure', async () => {
    const keys = source();
    answer = json({}, 503);
    clock += 86_400_000;
    await expect(parseBy(keys, older)).rejects.toThrow(KeysUnavailableError);
    clock -= 86_400_000;
    answer = listed(older.publicKey);
    await parseBy(keys, older);
  });

  it.each<[string, RequestListener, string]>([
    [
      'a redirect',
      (request, response) =>
        response.writeHead(302, { location: request.url === '/' ? '/api/webhooks/keys' : '/' }).end(),
      'status 302, /$',
    ],
    ['a page that is not there', (_, response) => response.writeHead(404).end('<html>'), 'status 404, no keys$'],
    ['an empty list', json({ keys: [] }), 'status 200, no keys$'],
    ['no list', json({ keys: 'none' }), '.*keys'],
    ['null', json(null), '.*keys'],
    ['no JSON', (_, response) => response.end('<html>'), '.*JSON'],
    ['a key that is not one', listed('whpk_AAAA'), 'keys: whpk_ must be followed by 32 bytes'],
    ['a shared secret', listed(generateSecret()), 'status 200, no keys$'],
    [
      'other algorithms only',
      json({ keys: [{ ...entry(older.publicKey), algorithm: 'rsa' }] }),
      'status 200, no keys$',
    ],
    ['an error that lists them', json({ keys: [entry(older.publicKey)] }, 500), 'status 500, no keys$'],
    ['a body that never ends', (_, response) => void response.write('{"keys":['), '.*timeout'],
    ['nothing', () => {}, '.*timeout'],
    ['a reset', (_, response) => response.socket?.resetAndDestroy(), 'fetch failed'],
  ])('are not accepted from %s, and the message says why', async (_, listener, why) => {
    answer = listener;
    const error: unknown = await source({ timeoutMs: why.includes('timeout') ? 150 : 30_000 })
      .current(false)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(KeysUnavailableError);
    expect((error as Error).message).toMatch(new RegExp(`^${origin}/api/webhooks/keys: \\w*Error: ${why}`));
    expect((error as Error).cause).toBeInstanceOf(Error);
    expect(asked).toHaveLength(1);
  });

  it('are taken without the entries that this version does not know', async () => {
    answer = json({ keys: [{ algorithm: 'ed448', public_key: 'x' }, entry(older.publicKey), null], extra: 1 });
    expect(await source().current(false)).toEqual([older.publicKey]);
  });

  it('are fetched over HTTPS, or from this machine', () => {
    for (const url of [
      'https://a.example',
      'https://a.example/b/',
      'https://bücher.example',
      'HTTPS://A.example',
      'http://localhost:1',
      'http://127.0.0.1/',
      'http://127.0.0.2',
      'http://[::1]:1',
    ])
      expect(() => remoteKeys(url)).not.toThrow();
    for (const url of [
      '',
      'http://a.example',
      'http://127.0.0.1.a.example',
      'http://localhost.a.example',
      'ftp://a.example',
      // What no fetch could read, or would read as something else.
      'https://',
      'https://a b.example',
      'https://a.example:99999',
      'https://[::1',
      'https://a.example?b',
      'https://a.example#b',
      'https://user:pw@a.example',
      'http://127.0.0.1:@a.example',
      'a.example',
    ]) {
      expect(() => remoteKeys(url)).toThrow(ConfigurationError);
    }
  });
});
