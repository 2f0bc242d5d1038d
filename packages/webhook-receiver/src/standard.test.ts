/** Any Standard Webhooks: what the official libraries sign, in every form that senders use, is received. */
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as errors from './errors.ts';
import { createStandardReceiver, parseStandard, type StandardReceiverOptions } from './standard.ts';
import { generateKeyPair, generateSecret, sign } from './testing/index.ts';

const secret = generateSecret();
const bare = secret.slice('whsec_'.length);
const raw = 'polar_whs_a raw secret, of any length';
/** The example payload of the specification. */
const example = {
  type: 'contact.created',
  timestamp: '2022-11-03T20:26:10.344522Z',
  data: { id: '1f81eb52-5198-4599-803e-771906343485', type: 'contact', first_name: 'John' },
};

interface Signed {
  headers: Record<string, string>;
  body: string;
}
const signedBy = (
  webhook: Pick<Webhook, 'sign'>,
  payload: unknown,
  { names = 'webhook', id = 'msg_1' } = {},
): Signed => {
  const at = new Date();
  const body = JSON.stringify(payload);
  const headers = {
    'content-type': 'application/json',
    [`${names}-id`]: id,
    [`${names}-timestamp`]: String(Math.floor(at.getTime() / 1_000)),
    [`${names}-signature`]: webhook.sign(id, at, body),
  };
  return { headers, body };
};
const official = (payload: unknown, id = 'msg_1') => signedBy(new Webhook(secret), payload, { id });

type Options = Partial<StandardReceiverOptions<Record<string, unknown>>>;
const receive = async (options: Options, { headers, body }: Signed) => {
  const receiver = createStandardReceiver({ keys: secret, onError: () => {}, ...options });
  const answer = await receiver.receive({ headers, read: () => Promise.resolve(body) });
  return [answer.status, (JSON.parse(answer.body) as { code: string }).code];
};

/** Returns what a call throws. */
const errorOf = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

describe('the example of the specification, signed by the official library', () => {
  it('is parsed, with webhook-id as its identity', async () => {
    const { headers, body } = official(example);
    expect(await parseStandard(body, headers, { keys: secret })).toEqual({ ...example, id: 'msg_1', body: example });
  });

  it('is dispatched to the handler of its type, typed by its user, once', async () => {
    const seen: unknown[] = [];
    const receiver = createStandardReceiver<{ 'contact.created': { first_name: string }; 'contact.gone': string }>({
      keys: secret,
      on: {
        'contact.created': (event, { header, signal }) => {
          expectTypeOf(event.type).toEqualTypeOf<'contact.created'>();
          expectTypeOf(event.data).toEqualTypeOf<{ first_name: string }>();
          seen.push(event.id, event.data.first_name, header('Webhook-Id'), signal.aborted);
        },
      },
    });
    const { headers, body } = official(example);
    const post = async () => (await receiver.receive({ headers, read: () => Promise.resolve(body) })).body;
    expect([await post(), await post()]).toEqual(['{"code":"handled"}', '{"code":"duplicate"}']);
    expect(seen).toEqual(['msg_1', 'John', 'msg_1', false]);
  });

  it('is known by webhook-id alone: another id is another event, whatever the body says', async () => {
    const ids: string[] = [];
    const receiver = createStandardReceiver({ keys: secret, onUnknown: ({ id }) => ids.push(id) });
    for (const id of ['msg_1', 'msg_2', 'msg_1']) {
      const { headers, body } = official({ ...example, id: 'body_1' }, id);
      await receiver.receive({ headers, read: () => Promise.resolve(body) });
    }
    expect(ids).toEqual(['msg_1', 'msg_2']);
  });
});

describe('an envelope', () => {
  const own = { id: 'evt_1', type: 'ping', created_at: '2026-01-01T00:00:00.000Z', data: {} };
  const flat = { type: 'user.created', object: 'event' };
  it.each<[string, unknown, object]>([
    ['of this directory', own, { type: 'ping', timestamp: own.created_at, data: {} }],
    ['without data is its own data', flat, { type: 'user.created', data: flat }],
    ['without a type', { data: [1] }, { type: '', data: [1] }],
    ['whose type is not a string', { type: 7, data: null }, { type: '', data: null }],
    ['that is a list', [1, 2], { type: '', data: [1, 2] }],
    ['that is a string', 'x', { type: '', data: 'x' }],
    ['that is null', null, { type: '', data: null }],
  ])('%s is read', async (_, payload, expected) => {
    const { headers, body } = official(payload);
    expect(await parseStandard(body, headers, { keys: secret })).toMatchObject({
      id: 'msg_1',
      body: payload,
      ...expected,
    });
  });

  it.each([{ type: 'a', data: 1 }, { type: 'a', created_at: 1_700_000_000, data: 1 }, 'x'])(
    'without a timestamp has that of its signature: %j',
    async (payload) => {
      const { headers, body } = official(payload);
      const { timestamp } = await parseStandard(body, headers, { keys: secret });
      expect(Date.parse(timestamp) / 1_000).toBe(Number(headers['webhook-timestamp']));
    },
  );

  it.each(['toString', 'constructor', '__proto__', ''])('of type %j runs no handler by accident', async (type) => {
    expect(await receive({ on: {} }, official({ type, data: {} }))).toEqual([200, 'ignored']);
    const types: string[] = [];
    const onUnknown: Options['onUnknown'] = (event) => types.push(event.type);
    expect(await receive({ onUnknown }, official({ type, data: {} }))).toEqual([200, 'handled']);
    expect(types).toEqual([type]);
  });

  it('that is not JSON or not signed is refused', async () => {
    const { headers, body } = official(example);
    expect(await receive({}, { headers, body: `${body} ` })).toEqual([401, 'invalid_signature']);
    const id = 'msg_1';
    const timestampSec = Math.floor(Date.now() / 1_000);
    const text = 'not JSON';
    const signature = await sign({ id, timestampSec, body: text }, secret);
    const signed = { ...headers, 'webhook-timestamp': String(timestampSec), 'webhook-signature': signature };
    expect(await receive({}, { headers: signed, body: text })).toEqual([400, 'invalid_json']);
  });

  it('can be queued whatever its type', async () => {
    const queued: unknown[] = [];
    expect(await receive({ enqueue: ({ type }) => queued.push(type) }, official(example))).toEqual([202, 'queued']);
    expect(queued).toEqual(['contact.created']);
  });
});

describe('a secret', () => {
  it.each<[string, string | Uint8Array, Webhook]>([
    ['with its prefix', secret, new Webhook(secret)],
    ['without its prefix', bare, new Webhook(bare)],
    ['as raw bytes', new TextEncoder().encode(raw), new Webhook(raw, { format: 'raw' })],
    ['of an odd length', `whsec_${btoa('short')}`, new Webhook(`whsec_${btoa('short')}`)],
  ])('%s verifies as the official library does', async (_, key, webhook) => {
    const { headers, body } = signedBy(webhook, example);
    expect((await parseStandard(body, headers, { keys: key })).type).toBe('contact.created');
    const rotated = parseStandard(body, headers, { keys: [generateSecret(), key] });
    expect((await rotated).type).toBe('contact.created');
    await expect(parseStandard(body, headers, { keys: generateSecret() })).rejects.toThrow(errors.SignatureError);
  });

  it('may be a public key: scheme v1a', async () => {
    const { publicKey, privateKey } = await generateKeyPair();
    const { headers, body } = official(example);
    const timestampSec = Number(headers['webhook-timestamp']);
    const signature = await sign({ id: 'msg_1', timestampSec, body }, privateKey);
    const event = await parseStandard(body, { ...headers, 'webhook-signature': signature }, { keys: publicKey });
    expect(event.id).toBe('msg_1');
  });

  it.each<[string, string]>([
    ['after its scheme, as Supabase shows it', `v1,${secret}`],
    ['joined to others', `v1,${generateSecret()}|v1,${secret}`],
    ['in quotes, without its prefix', `"${bare}"`],
    ['with a line break', `${bare}\n`],
  ])('may be pasted %s', async (_, pasted) => {
    const { headers, body } = official(example);
    expect((await parseStandard(body, headers, { keys: pasted })).id).toBe('msg_1');
    expect(await receive({ keys: pasted }, { headers, body })).toEqual([200, 'ignored']);
  });

  it.each(['', undefined, ' ', '""', []])(
    'that is missing, as %j is, is named by the first request',
    async (missing) => {
      const messages = [] as string[];
      const { headers, body } = official(example);
      const receiver = createStandardReceiver({ keys: missing, onError: ({ message }) => messages.push(message) });
      const answer = await receiver.receive({ headers, read: () => Promise.resolve(body) });
      expect([answer.status, answer.body, messages]).toEqual([
        500,
        '{"code":"invalid_configuration"}',
        ['keys: empty or not set'],
      ]);
    },
  );

  it('that is raw text works as the message says', async () => {
    const [, advice = ''] = /; (.+)$/.exec(String(errorOf(() => createStandardReceiver({ keys: raw })))) ?? [];
    expect(advice).toBe('pass the bytes of any other secret');
    const { headers, body } = signedBy(new Webhook(raw, { format: 'raw' }), example);
    expect((await parseStandard(body, headers, { keys: new TextEncoder().encode(raw) })).id).toBe('msg_1');
  });

  it.each<[string, string, RegExp]>([
    ['raw text', raw, /^keys: a secret without whsec_ must be base64; pass the bytes of any other secret$/],
    ['a private key', 'whsk_AAAA', /whsk_ is private to the sender/],
    ['only a prefix', 'whsec_', /^keys: whsec_ must be followed by padded base64; was all of it copied\?$/],
    ['cut', `v1,${secret.slice(0, 20)}`, /^keys: whsec_ must be followed by padded base64; was all of it copied\?$/],
    ['cut, among others', `${secret}|${secret.slice(0, 20)}`, /was all of it copied/],
  ])('that is %s is refused at start', (_, key, message) => {
    expect(() => createStandardReceiver({ keys: key })).toThrow(message);
    expect(() => createStandardReceiver({ keys: key })).toThrow(errors.ConfigurationError);
  });
});

describe('headers under the names of Svix', () => {
  const svix = () => signedBy(new SvixWebhook(secret), example, { names: 'svix' });

  it('are read when there are no others', async () => {
    const { headers, body } = svix();
    expect((await parseStandard(body, headers, { keys: secret })).id).toBe('msg_1');
    expect((await parseStandard(body, new Headers(headers), { keys: secret })).id).toBe('msg_1');
    expect(await receive({ onUnknown: () => 'done' }, { headers, body })).toEqual([200, 'handled']);
  });

  it('never replace standard headers that are wrong', async () => {
    const own = official(example);
    const { headers, body } = svix();
    const signature = await sign({ id: 'msg_1', timestampSec: 1, body }, secret);
    const mixed = { ...headers, ...own.headers, 'webhook-signature': signature };
    await expect(parseStandard(body, mixed, { keys: secret })).rejects.toThrow(errors.SignatureError);
    for (const name of ['svix-id', 'svix-timestamp', 'svix-signature']) {
      const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
      await expect(parseStandard(body, rest, { keys: secret })).rejects.toThrow(errors.MissingHeaderError);
    }
  });
});
