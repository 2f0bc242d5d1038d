import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { fromBase64, toBase64, utf8 } from './bytes.ts';
import * as errors from './errors.ts';
import { generateKeyPair, generateSecret, sign, signedDelivery } from './testing/index.ts';
import type { Keys } from './keys.ts';
import { verify } from './verify.ts';

const nowSec = 1_800_000_000;
const now = () => nowSec * 1_000;
const [pair, otherPair] = await Promise.all([generateKeyPair(), generateKeyPair()]);
const secret = generateSecret();
const otherSecret = generateSecret();
const body = '{"id":"evt_1", "type":"ping"}';

const signed = async (key: string | string[], timestampSec = nowSec, id = 'evt_1') => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestampSec),
  'webhook-signature': await sign({ id, timestampSec, body }, key),
});
const keys = [pair.publicKey, secret];
const refusal = (headers: Record<string, string | string[]>, over: string | Uint8Array = body) =>
  verify(over, headers, { keys, now }).then(
    () => 'verified',
    (error: unknown) => (error instanceof errors.WebhookError ? error.code : error),
  );

describe.each([
  ['v1a', pair.privateKey, otherPair.privateKey],
  ['v1', secret, otherSecret],
])('%s', (scheme, key, otherKey) => {
  it('verifies, and returns what was signed', async () => {
    expect(await verify(body, await signed(key), { keys, now })).toEqual({
      id: 'evt_1',
      timestampSec: nowSec,
      bytes: utf8(body),
    });
  });

  it('takes the body and the headers in any form that frameworks give', async () => {
    const headers = await signed(key);
    const buffer = Buffer.from(`x${body}`).subarray(1);
    const foreign: unknown = runInNewContext('Uint8Array.from(bytes)', { bytes: [...utf8(body)] });
    const bodies = [body, utf8(body), buffer, utf8(body).buffer, foreign as Uint8Array];
    const forms = [
      headers,
      new Headers(headers),
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])),
    ];
    for (const form of bodies)
      for (const source of forms) expect((await verify(form as string, source, { keys, now })).id).toBe('evt_1');
  });

  it('finds one good signature among others, and one good key among others', async () => {
    expect(await refusal(await signed([otherKey, key]))).toBe('verified');
    const headers = await signed(key);
    expect(
      await refusal({ ...headers, 'webhook-signature': `v2,AAAA junk v1a, ,x ${headers['webhook-signature']}` }),
    ).toBe('verified');
    expect(await refusal(await signed(otherKey))).toBe('invalid_signature');
  });

  it('checks at most eight signatures', async () => {
    const good = (await signed(key))['webhook-signature'];
    const bad = (await signed(otherKey))['webhook-signature'];
    const among = async (count: number) =>
      refusal({ ...(await signed(key)), 'webhook-signature': `${`${bad} `.repeat(count)}${good}` });
    expect([await among(7), await among(8)]).toEqual(['verified', 'invalid_signature']);
  });

  it('refuses a signature under the name of the other scheme', async () => {
    const headers = await signed(key);
    const renamed = headers['webhook-signature'].replace(scheme, scheme === 'v1' ? 'v1a' : 'v1');
    expect(await refusal({ ...headers, 'webhook-signature': renamed })).toBe('invalid_signature');
  });
});

describe('the timestamp', () => {
  it.each([
    [-301, 'timestamp_too_old'],
    [-300, 'verified'],
    [300, 'verified'],
    [301, 'timestamp_too_new'],
    [86_400, 'timestamp_too_new'],
  ])('at now%i s: %s', async (offset, expected) => {
    expect(await refusal(await signed(pair.privateKey, nowSec + offset))).toBe(expected);
  });

  it.each([
    '',
    ' ',
    '1e9',
    '1800000000junk',
    '1800000000.0',
    '-1',
    '+1800000000',
    ' 1800000000',
    '0x6b49d200',
    '1'.repeat(13),
  ])('%j is refused', async (text) => {
    const code = await refusal({ ...(await signed(pair.privateKey)), 'webhook-timestamp': text });
    expect(code).toBe(text === '' ? 'missing_header' : 'invalid_timestamp');
  });

  it('is refused when the options are not numbers', async () => {
    const headers = await signed(pair.privateKey);
    await expect(verify(body, headers, { keys, now, toleranceSec: NaN })).rejects.toThrow(errors.TimestampTooOldError);
    await expect(verify(body, headers, { keys, now: () => NaN })).rejects.toThrow(errors.TimestampTooOldError);
  });
});

describe('headers', () => {
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s', async (name) => {
    expect(await refusal({ ...(await signed(secret)), [name]: [] })).toBe('missing_header');
  });

  it.each([
    ['twice', { 'webhook-id': ['evt_1', 'evt_1'] }],
    ['twice in two cases', { 'Webhook-Id': 'evt_1' }],
    ['twice, joined', { 'webhook-id': 'evt_1, evt_1' }],
    ['with a full stop', { 'webhook-id': 'evt.1' }],
    ['with a space', { 'webhook-id': 'evt 1' }],
    ['with a control character', { 'webhook-id': 'evt\x001' }],
    ['that is not ASCII', { 'webhook-id': 'evté' }],
    ['too long', { 'webhook-id': 'e'.repeat(257) }],
  ])('an id %s', async (_, header) =>
    expect(await refusal({ ...(await signed(secret)), ...header })).toBe('invalid_header'),
  );
});

describe('no mutation verifies', () => {
  const byte = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
  const flip = (bytes: Uint8Array, { at, by }: { at: number; by: number }) =>
    bytes.map((value, index) => (index === at % bytes.length ? value ^ by : value));
  const other = (text: string) => fc.string({ minLength: 1, maxLength: 80 }).filter((value) => value !== text);
  const schemes = fc.constantFrom(pair.privateKey, secret);
  const check = async (
    arbitrary: fc.Arbitrary<unknown[]>,
    mutate: (headers: Awaited<ReturnType<typeof signed>>, args: never) => Promise<unknown>,
  ) =>
    fc.assert(
      fc.asyncProperty(schemes, arbitrary, async (key, args) => {
        expect(await mutate(await signed(key), args as never)).not.toBe('verified');
      }),
      { numRuns: 150 },
    );

  it('of the body', async () => {
    await check(fc.tuple(byte), (headers, [change]: [{ at: number; by: number }]) =>
      refusal(headers, flip(utf8(body), change)),
    );
    await check(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 8 })), (headers, [tail]: [Uint8Array]) =>
      refusal(headers, Buffer.concat([utf8(body), tail])),
    );
    await check(fc.tuple(fc.nat(body.length - 1)), (headers, [length]: [number]) =>
      refusal(headers, body.slice(0, length)),
    );
  });

  it('of the id or the timestamp', async () => {
    await check(fc.tuple(other('evt_1')), (headers, [id]: [string]) => refusal({ ...headers, 'webhook-id': id }));
    await check(fc.tuple(fc.integer({ min: -300, max: 300 }).filter((by) => by !== 0)), (headers, [by]: [number]) =>
      refusal({ ...headers, 'webhook-timestamp': String(nowSec + by) }),
    );
    expect(await refusal({ ...(await signed(secret)), 'webhook-timestamp': `0${nowSec}` })).toBe('invalid_signature');
  });

  it('of where id, timestamp and body are split', async () => {
    const headers = await signed(secret);
    expect(await refusal({ ...headers, 'webhook-id': `evt_1.${nowSec}`, 'webhook-timestamp': '1' })).toBe(
      'invalid_header',
    );
  });

  it('of the signature, as bytes or as text', async () => {
    await check(fc.tuple(byte), ({ 'webhook-signature': text, ...headers }, [change]: [{ at: number; by: number }]) => {
      const [scheme, base64 = ''] = text.split(',');
      return refusal({
        ...headers,
        'webhook-signature': `${scheme ?? ''},${toBase64(flip(fromBase64(base64) ?? utf8('?'), change))}`,
      });
    });
    await check(
      fc.tuple(fc.nat(), fc.string({ minLength: 1, maxLength: 1 })),
      ({ 'webhook-signature': text, ...headers }, [at, character]: [number, string]) => {
        const place = at % text.length;
        const changed = text.slice(0, place) + character + text.slice(place + 1);
        return changed === text ? Promise.resolve('as it was') : refusal({ ...headers, 'webhook-signature': changed });
      },
    );
  });
});

describe('the npm package standardwebhooks', () => {
  const vectors = [
    '{}',
    '{"a":1.0}',
    '{"a":"\\u00e9"}',
    '{ "a" : 1e3 }',
    '{"n":12345678901234567890}',
    '{"2":0,"1":0}',
    'ünïcödé ✓',
  ];

  it.each(vectors)('verifies what is signed here: %s', async (payload) => {
    const { headers } = await signedDelivery({ event: { id: 'msg_1', type: 'x' }, body: payload, key: secret });
    expect(() => new Webhook(secret).verify(payload, headers)).not.toThrow(errors.SignatureError);
    expect(new Webhook(secret).sign('msg_1', new Date(Number(headers['webhook-timestamp']) * 1_000), payload)).toBe(
      headers['webhook-signature'],
    );
  });

  it.each(vectors)('signs what is verified here: %s', async (payload) => {
    const signature = new Webhook(secret).sign('msg_1', new Date(now()), payload);
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(nowSec), 'webhook-signature': signature };
    expect(await refusal(headers, payload)).toBe('verified');
  });

  it('confuses two bodies that are not UTF-8; this does not', async () => {
    const one = Buffer.from([0x22, 0xff, 0x22]);
    const two = Buffer.from([0x22, 0xfe, 0x22]);
    const headers = {
      ...(await signed(secret)),
      'webhook-signature': await sign({ id: 'evt_1', timestampSec: nowSec, body: one }, secret),
    };
    expect([await refusal(headers, one), await refusal(headers, two)]).toEqual(['verified', 'invalid_signature']);
  });

  it('agrees on the vector of the specification', async () => {
    const vector = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const options = { keys: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now: () => 1_614_265_330_000 };
    expect((await verify('{"test": 2432232314}', vector, options)).id).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek');
  });
});

describe('keys', () => {
  it.each([
    '',
    'hunter2',
    'undefined',
    pair.privateKey,
    'whpk_',
    'whsec_',
    'whsec_c2hvcnQ=',
    secret.replace('=', ''),
    '""',
    ' ',
    '|',
    `${secret.slice(0, 9)} ${secret.slice(9)}`,
    `${secret}|hunter2`,
    `whpk_${toBase64(new Uint8Array(31))}`,
    `whpk_${toBase64(new Uint8Array(33))}`,
    `whsec_${toBase64(new Uint8Array(65))}`,
  ])('%j is refused by a message that does not contain it', async (key) => {
    const error: unknown = await verify(body, await signed(secret), { keys: key, now }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(errors.ConfigurationError);
    expect(String(error)).toMatch(/^WebhookError: keys: /);
    const base64 = key.replace(/^wh\w+_/, '').trim();
    if (base64.length > 8) expect(String(error)).not.toContain(base64.slice(0, 8));
  });

  it.each<[string, Keys, RegExp]>([
    ['none', [], /^keys: empty or not set$/],
    ['an unset variable', undefined, /^keys: empty or not set$/],
    ['two unset variables', [undefined, ''], /^keys: empty or not set$/],
    ['a private key', pair.privateKey, /whsk_ is private to the sender/],
    ['a key with white space in it', `${secret.slice(0, 9)} ${secret.slice(9)}`, /whsec_ must be followed by/],
    ['a key without its prefix', secret.slice('whsec_'.length), /must begin with whpk_ or whsec_/],
    ['a short secret', 'whsec_c2hvcnQ=', /^keys: whsec_ must be followed by 24 to 64 bytes in base64$/],
    ['a short public key', 'whpk_c2hvcnQ=', /^keys: whpk_ must be followed by 32 bytes in base64$/],
    ['no bytes', new Uint8Array(), /must begin with/],
  ])('%s: the message names the mistake', async (_, wrong, message) => {
    await expect(verify(body, await signed(secret), { keys: wrong, now })).rejects.toThrow(message);
  });

  it.each<[string, Keys]>([
    ['with a line break', `${secret}\n`],
    ['with white space on both sides', ` ${secret}\r\n`],
    ['with a byte order mark', `\uFEFF${secret}`],
    ['in double quotes', `"${secret}"`],
    ['in single quotes', `'${secret}'\n`],
    ['after its scheme', `v1,${secret}`],
    ['among others after their schemes', `v1,${otherSecret}|v1,${secret}|v1a,${pair.publicKey}`],
    ['among others in quotes', `" ${otherSecret} | ${secret} "`],
    ['next to a variable that is not set', [undefined, '', secret]],
  ])('may be pasted %s', async (_, pasted) => {
    expect((await verify(body, await signed(secret), { keys: pasted, now })).id).toBe('evt_1');
    await expect(verify(body, await signed(generateSecret()), { keys: pasted, now })).rejects.toThrow(
      errors.SignatureError,
    );
  });

  it('to sign with may be pasted in the same ways, and must not be empty', async () => {
    const signable = { id: 'evt_1', timestampSec: nowSec, body };
    const plain = await sign(signable, [pair.privateKey, secret]);
    expect(await sign(signable, `'v1a,${pair.privateKey}|v1,${secret}'\n`)).toBe(plain);
    for (const none of ['', '""', []]) await expect(sign(signable, none)).rejects.toThrow(/is empty or not set/);
  });

  it('may be the bytes of a secret', async () => {
    const bytes = utf8('a raw secret');
    const signature = new Webhook(bytes, { format: 'raw' }).sign('evt_1', new Date(now()), body);
    const headers = { ...(await signed(secret)), 'webhook-signature': signature };
    expect((await verify(body, headers, { keys: [pair.publicKey, bytes], now })).id).toBe('evt_1');
    await expect(verify(body, headers, { keys: utf8('another'), now })).rejects.toThrow(errors.SignatureError);
  });

  it('are never applied to a body that was parsed', async () => {
    for (const parsed of [{ id: 'evt_1' }, undefined, null, 1]) {
      await expect(verify(parsed as unknown as string, await signed(secret), { keys, now })).rejects.toThrow(
        errors.BodyParsedError,
      );
    }
  });

  it('that do not match are named as a cause, whatever the body looks like', async () => {
    const headers = await signed(secret);
    for (const other of [JSON.stringify(JSON.parse(body)), `${body} `]) {
      const refused = verify(other, headers, { keys, now });
      await expect(refused).rejects.toThrow('no key matches (v1): wrong key, or not the signed bytes');
    }
    const foreign = verify(body, await signed([pair.privateKey, secret]), { keys: otherSecret, now });
    await expect(foreign).rejects.toThrow('no key matches (v1a,v1)');
  });
});
