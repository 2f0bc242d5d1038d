import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { type Dedupe, memoryDedupe } from './dedupe.ts';
import * as errors from './errors.ts';
import type { IncomingWebhook, Receiver } from './receive.ts';
import { createReceiver, type ReceiverOptions } from './receiver.ts';
import { type DeliveryOptions, generateKeyPair, sampleEvent, signedDelivery } from './testing/index.ts';
import type { Bot } from './types.gen.ts';

const { publicKey, privateKey: key } = await generateKeyPair();
const { privateKey: otherKey } = await generateKeyPair();

/** Makes a receiver that records everything it reports. */
const receiverOf = (options: ReceiverOptions = {}) => {
  const reported: errors.WebhookError[] = [];
  return {
    reported,
    receiver: createReceiver({ keys: publicKey, onError: (error) => reported.push(error), ...options }),
  };
};

const post = async (
  receiver: Receiver,
  options: Partial<DeliveryOptions> = {},
  headers: Record<string, string> = {},
) => {
  const delivery = await signedDelivery({ key, ...options });
  const answer = await receiver.receive({
    headers: { ...delivery.headers, ...headers },
    read: () => Promise.resolve(delivery.body),
  });
  expect(answer.headers['content-type']).toBe('application/json');
  const { code } = JSON.parse(answer.body) as { code: string };
  expect(answer.body).toBe(JSON.stringify({ code }));
  return [answer.status, code];
};

/** Makes a promise, with the functions that settle it. */
const deferred = () => {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const promise = new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
  return { promise, resolve: () => ends[0]?.resolve(), reject: (error: Error) => ends[0]?.reject(error) };
};

const event = () => sampleEvent('bot.created');
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an event', () => {
  it('goes to the handler of its type', async () => {
    const seen: unknown[] = [];
    const { receiver, reported } = receiverOf({
      on: {
        ping: ({ type }) => seen.push(type),
        'bot.created': ({ data }, { signal }) => {
          expectTypeOf(data).toEqualTypeOf<Bot>();
          seen.push(data.slug, signal.aborted);
        },
      },
      onUnknown: (unknown) => seen.push(unknown.type),
    });
    expect(await post(receiver, { event: sampleEvent('ping') })).toEqual([200, 'handled']);
    expect(await post(receiver, { event: sampleEvent('bot.created', { slug: 'a' }) })).toEqual([200, 'handled']);
    expect(await post(receiver, { event: { ...event(), type: 'bot.gone' } })).toEqual([200, 'handled']);
    expect(seen).toEqual(['ping', 'a', false, 'bot.gone']);
    expect(reported).toEqual([]);
  });

  it('of a type that has a handler is known, whether or not `events` has it', async () => {
    const seen: unknown[] = [];
    const { receiver } = receiverOf({
      on: {
        'bot.removed': ({ data }) => {
          expectTypeOf(data.reason).toEqualTypeOf<string | null>();
          seen.push(data.slug);
        },
        'bot.restored': ({ data }) => seen.push(data.name),
      },
    });
    for (const one of [sampleEvent('bot.removed', { slug: 'gone' }), sampleEvent('bot.restored', { name: 'Back' })])
      expect(await post(receiver, { event: one })).toEqual([200, 'handled']);
    expect(seen).toEqual(['gone', 'Back']);
  });

  it.each<[string, object]>([
    ['bot.create', { on: { 'bot.create': () => 'never' } }],
    ['toString', { on: { toString: () => 'never' } }],
    ['bot.remove', { events: ['bot.created', 'bot.remove'] }],
  ])('cannot be of the type %s: the receiver does not start', (name, options) => {
    expect(() => receiverOf(options)).toThrow(errors.ConfigurationError);
    expect(() => receiverOf(options)).toThrow(`${name} is no event type: use ping, bot.created, bot.updated`);
  });

  it('without a handler is answered 200, and needs no store', async () => {
    const broken = () => Promise.reject(new Error('down'));
    const { receiver } = receiverOf({ dedupe: { begin: broken, commit: broken, rollback: broken } });
    expect(await post(receiver)).toEqual([200, 'ignored']);
    expect(await post(receiver, { event: { ...event(), type: 'toString' } })).toEqual([200, 'ignored']);
  });

  it('is handled once, however often it is delivered', async () => {
    let count = 0;
    const { receiver } = receiverOf({ on: { 'bot.created': () => count++ } });
    const created = event();
    expect(await post(receiver, { event: created })).toEqual([200, 'handled']);
    expect(await post(receiver, { event: created })).toEqual([200, 'duplicate']);
    expect(await post(receiver, { event: event() })).toEqual([200, 'handled']);
    expect(count).toBe(2);
  });

  it('that is being handled is answered 409 with Retry-After, because the first run may still fail', async () => {
    const work = deferred();
    let runs = 0;
    const handle = () => {
      runs += 1;
      return work.promise;
    };
    const { receiver } = receiverOf({ on: { 'bot.created': handle } });
    const delivery = await signedDelivery({ event: event(), key });
    const send = () => receiver.receive({ headers: delivery.headers, read: () => Promise.resolve(delivery.body) });
    const first = send();
    await expect.poll(() => runs).toBe(1);
    expect(await send()).toMatchObject({ status: 409, headers: { 'retry-after': '10' }, body: '{"code":"pending"}' });
    work.reject(new Error('no'));
    expect((await first).status).toBe(500);
  });
});

describe('a handler', () => {
  it('that throws is answered 500 without its message, reported with its cause, and run again', async () => {
    const failure = new Error('db password is hunter2');
    const outcomes = [
      () => Promise.reject(failure),
      () => {
        throw failure;
      },
      () => 'done',
    ];
    const { receiver, reported } = receiverOf({ on: { 'bot.created': () => outcomes.shift()?.() } });
    const created = event();
    expect(await post(receiver, { event: created })).toEqual([500, 'handler_failed']);
    expect(await post(receiver, { event: created })).toEqual([500, 'handler_failed']);
    expect(await post(receiver, { event: created })).toEqual([200, 'handled']);
    expect(reported.map((error) => [error.code, error.cause, error.message.includes(created.id)])).toEqual([
      ['handler_failed', failure, true],
      ['handler_failed', failure, true],
    ]);
  });

  it('that overruns is aborted, blocks the next attempt, and counts if it succeeds after all', async () => {
    const work = deferred();
    let aborted = false;
    const { receiver, reported } = receiverOf({
      timeoutMs: 20,
      on: {
        'bot.created': (_, { signal }) => {
          signal.addEventListener('abort', () => (aborted = true));
          return work.promise;
        },
      },
    });
    const created = event();
    expect(await post(receiver, { event: created })).toEqual([500, 'handler_timeout']);
    expect(aborted).toBe(true);
    expect(await post(receiver, { event: created })).toEqual([409, 'pending']);
    work.resolve();
    await expect.poll(() => post(receiver, { event: created })).toEqual([200, 'duplicate']);
    expect(reported.map(({ code }) => code)).toEqual(['handler_timeout']);
  });

  it('that overruns its lease too does not block the next attempt: work that hangs never keeps an event', async () => {
    let clock = Date.now();
    let runs = 0;
    const { receiver } = receiverOf({
      timeoutMs: 20,
      leaseMs: 60_000,
      now: () => clock,
      on: { 'bot.created': () => (runs++ === 0 ? deferred().promise : 'done') },
    });
    const created = event();
    const attempt = () => post(receiver, { event: created, at: clock });
    expect(await attempt()).toEqual([500, 'handler_timeout']);
    clock += 59_999;
    expect(await attempt()).toEqual([409, 'pending']);
    clock += 1;
    expect(await attempt()).toEqual([200, 'handled']);
  });

  it.each([Infinity, 2 ** 31])('has all the time that a timer can measure with timeoutMs %d', async (timeoutMs) => {
    const on = { ping: () => new Promise((resolve) => setTimeout(resolve, 50)) };
    const { receiver, reported } = receiverOf({ timeoutMs, on });
    expect(await post(receiver)).toEqual([200, 'handled']);
    expect(reported).toEqual([]);
  });

  it('that overruns and then fails is reported and run again', async () => {
    const works = [deferred(), deferred()];
    works[1]?.resolve();
    let runs = 0;
    const { receiver, reported } = receiverOf({ timeoutMs: 20, on: { 'bot.created': () => works[runs++]?.promise } });
    const created = event();
    expect(await post(receiver, { event: created })).toEqual([500, 'handler_timeout']);
    works[0]?.reject(new Error('late'));
    await expect.poll(() => reported.map(({ code }) => code)).toEqual(['handler_timeout', 'handler_failed']);
    expect(await post(receiver, { event: created })).toEqual([200, 'handled']);
  });
});

describe('enqueue', () => {
  it('is answered 202 once the event is safe, and takes it from the handlers', async () => {
    const queue: string[] = [];
    const { receiver } = receiverOf({
      enqueue: async ({ id }) => {
        await turn();
        queue.push(id);
      },
      on: { 'bot.created': () => expect.unreachable() },
    });
    const created = event();
    const unknown = { ...event(), type: 'bot.gone' };
    expect(await post(receiver, { event: created })).toEqual([202, 'queued']);
    expect(await post(receiver, { event: created })).toEqual([200, 'duplicate']);
    expect(await post(receiver, { event: unknown })).toEqual([202, 'queued']);
    expect(queue).toEqual([created.id, unknown.id]);
  });

  it('that fails is answered 500', async () => {
    const { receiver } = receiverOf({ enqueue: () => Promise.reject(new Error('full')) });
    expect(await post(receiver)).toEqual([500, 'handler_failed']);
  });
});

describe('a store', () => {
  const never = () => new Promise<never>(() => {});
  const broken = () => Promise.reject(new Error('down'));
  const throwing = () => {
    throw new Error('down');
  };

  it.each<[string, Partial<Dedupe>, number]>([
    ['begin rejects', { begin: broken }, 0],
    ['begin throws', { begin: throwing }, 0],
    ['begin hangs', { begin: never }, 0],
    ['commit rejects', { commit: broken }, 1],
    ['commit hangs', { commit: never }, 1],
  ])('whose %s is answered 503', async (_, part, runs) => {
    let count = 0;
    const { receiver, reported } = receiverOf({
      dedupe: { ...memoryDedupe(), ...part },
      timeoutMs: 30,
      on: { ping: () => count++ },
    });
    expect(await post(receiver)).toEqual([503, 'store_unavailable']);
    expect(count).toBe(runs);
    expect(reported.map(({ code }) => code)).toEqual(['store_unavailable']);
  });

  it.each([
    ['rejects', broken],
    ['hangs', never],
  ])('whose rollback %s does not hide that the handler failed', async (_, rollback) => {
    const { receiver, reported } = receiverOf({
      dedupe: { ...memoryDedupe(), rollback },
      timeoutMs: 30,
      on: { ping: broken },
    });
    expect(await post(receiver)).toEqual([500, 'handler_failed']);
    expect(reported.map(({ code, cause }) => [code, String(cause)])).toEqual([['handler_failed', 'Error: down']]);
  });

  it('that grants a lease too late gets it back', async () => {
    const gate = deferred();
    const store = memoryDedupe();
    const slow: Dedupe = {
      ...store,
      begin: (attempt, leaseMs) => gate.promise.then(() => store.begin(attempt, leaseMs)),
    };
    const { receiver } = receiverOf({ dedupe: slow, timeoutMs: 20, on: { ping: () => 'done' } });
    const ping = sampleEvent('ping');
    expect(await post(receiver, { event: ping })).toEqual([503, 'store_unavailable']);
    gate.resolve();
    await expect.poll(() => post(receiver, { event: ping })).toEqual([200, 'handled']);
  });

  it('holds a lease for leaseMs, and handled events for longer than the service keeps them', async () => {
    const store = memoryDedupe();
    const times: number[] = [];
    const spied: Dedupe = {
      ...store,
      begin: (attempt, leaseMs) => (times.push(leaseMs), store.begin(attempt, leaseMs)),
      commit: (attempt, ttlMs) => (times.push(ttlMs / 86_400_000), store.commit(attempt, ttlMs)),
    };
    await post(receiverOf({ dedupe: spied, leaseMs: 12_345, on: { ping: () => 'done' } }).receiver);
    expect(times).toEqual([12_345, 35]);
  });
});

describe('a request', () => {
  const refused = async (headers: Record<string, string>, options: Partial<DeliveryOptions> = {}) => {
    const { receiver, reported } = receiverOf({ on: { ping: () => expect.unreachable() }, maxBytes: 500 });
    const answer = await post(receiver, options, headers);
    expect(reported.map(({ status, code }) => [status, code])).toEqual([answer]);
    return answer;
  };

  it.each(['text/plain', 'application/jsonx', 'application/x-www-form-urlencoded', ''])(
    'of type %j is answered 415',
    async (type) => {
      expect(await refused({ 'content-type': type })).toEqual([415, 'not_json']);
    },
  );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;x=y',
    'application/cloudevents+json',
  ])('of type %j is read', async (type) => {
    expect(await post(receiverOf().receiver, {}, { 'content-type': type })).toEqual([200, 'ignored']);
  });

  it('that is too long is answered 413, by its bytes', async () => {
    const { receiver } = receiverOf({ maxBytes: 500 });
    const { headers } = await signedDelivery({ key });
    expect((await receiver.receive({ headers, read: () => Promise.resolve(new Uint8Array(501)) })).status).toBe(413);
    const body = JSON.stringify({ ...sampleEvent('ping'), pad: 'ü'.repeat(300) });
    expect(body.length).toBeLessThan(500);
    expect(await refused({}, { body })).toEqual([413, 'body_too_large']);
    expect(await refused({}, { body: new TextEncoder().encode(body) })).toEqual([413, 'body_too_large']);
  });

  it('is never read without a limit, whatever `maxBytes` was computed to', async () => {
    const { receiver } = receiverOf({ maxBytes: Number.NaN });
    const { headers, body } = await signedDelivery({ key });
    const read = () => Promise.resolve(body);
    expect((await receiver.receive({ headers, read })).status).toBe(413);
  });

  it('that breaks off is answered 400', async () => {
    const { receiver, reported } = receiverOf();
    const { headers } = await signedDelivery({ key });
    const answer = await receiver.receive({ headers, read: () => Promise.reject(new Error('cut')) });
    expect([answer.status, answer.body]).toEqual([400, '{"code":"unreadable"}']);
    expect(reported[0]?.cause).toEqual(new Error('cut'));
  });

  it('whose body was parsed before is never answered 2xx', async () => {
    const { receiver, reported } = receiverOf({ on: { ping: () => expect.unreachable() } });
    const { headers } = await signedDelivery({ key });
    for (const body of [{}, undefined, []]) {
      expect((await receiver.receive({ headers, read: () => Promise.resolve(body) })).status).toBe(500);
    }
    expect(reported.every((error) => error instanceof errors.BodyParsedError)).toBe(true);
  });

  it.each<[string, Record<string, string>, Partial<DeliveryOptions>, [number, string]]>([
    ['a wrong signature', { 'webhook-signature': 'v1a,AAAA' }, {}, [401, 'invalid_signature']],
    ['an old timestamp', {}, { at: Date.now() - 3_600_000 }, [401, 'timestamp_too_old']],
    ['a future timestamp', {}, { at: Date.now() + 3_600_000 }, [401, 'timestamp_too_new']],
    ['a timestamp followed by other text', { 'webhook-timestamp': '1800000000junk' }, {}, [400, 'invalid_timestamp']],
    ['no id', { 'webhook-id': '' }, {}, [400, 'missing_header']],
    ['an odd id', { 'webhook-id': 'a.b' }, {}, [400, 'invalid_header']],
    ['another type in its header', { 'x-service-event': 'bot.created' }, {}, [400, 'header_mismatch']],
    ['no JSON', {}, { body: '{' }, [400, 'invalid_json']],
    ['no UTF-8', {}, { body: Uint8Array.of(255) }, [400, 'invalid_encoding']],
    ['no event', {}, { body: '{}' }, [400, 'invalid_envelope']],
  ])('with %s is refused', async (_, headers, options, expected) =>
    expect(await refused(headers, options)).toEqual(expected),
  );

  it.each<[string, unknown]>([
    ['no headers', { read: () => Promise.resolve('') }],
    [
      'headers that throw',
      { headers: { get: () => expect.unreachable('no header') }, read: () => Promise.resolve('') },
    ],
    [
      'a body that throws',
      { headers: { 'content-type': 'application/json' }, read: () => expect.unreachable('no body') },
    ],
    ['nothing', undefined],
  ])('that an adapter passes wrongly, with %s, is answered 500', async (_, incoming) => {
    const { receiver, reported } = receiverOf();
    const answer = await receiver.receive(incoming as IncomingWebhook);
    expect([answer.status, answer.body]).toEqual([500, '{"code":"internal_error"}']);
    expect(reported.map(({ code }) => code)).toEqual(['internal_error']);
  });

  const thrown = () => {
    throw new Error('log full');
  };
  const rejected = () => Promise.reject(new Error('log full'));
  it.each([
    ['throws', thrown],
    ['rejects', rejected],
  ])(
    'is answered even when the logger %s and the receiver is at fault, and the process survives',
    async (_, onError) => {
      const unhandled: unknown[] = [];
      const note = (error: unknown) => unhandled.push(error);
      process.on('unhandledRejection', note);
      const current = () => Promise.reject(new Error('bug'));
      const { receiver } = receiverOf({ keys: { current }, onError });
      expect(await post(receiver)).toEqual([500, 'internal_error']);
      await turn();
      process.off('unhandledRejection', note);
      expect(unhandled).toEqual([]);
    },
  );
});

describe('without onError, the console gets', () => {
  const printed = async (request: (receiver: Receiver) => Promise<unknown>, thrown?: unknown): Promise<unknown[]> => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const ping = (): never => {
      throw thrown;
    };
    await request(createReceiver({ keys: publicKey, on: { ping } }));
    const lines = print.mock.calls;
    print.mockRestore();
    return lines.flat();
  };

  it.each<[string, Record<string, string>, Partial<DeliveryOptions>, RegExp]>([
    [
      'a foreign signature',
      {},
      { key: otherKey },
      /^WebhookError: no key matches \(v1a\): .+ \(401 invalid_signature\)$/,
    ],
    ['an old delivery', {}, { at: 0 }, /^WebhookError: signed [\d.]+ s ago \(401 timestamp_too_old\)$/],
    ['a missing header', { 'webhook-id': '' }, {}, /^WebhookError: webhook-id \(400 missing_header\)$/],
    ['another type', { 'content-type': 'text/plain' }, {}, /^WebhookError: not_json \(415 not_json\)$/],
  ])('one line about %s, which says why', async (_, headers, options, line) => {
    const lines = await printed((receiver) => post(receiver, options, headers));
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  class DatabaseDown extends Error {}
  it.each<[string, unknown, string]>([
    ['an error', new Error('bug'), 'Error: bug'],
    ['an error of a class of its own', new DatabaseDown('no route'), 'DatabaseDown: no route'],
    ['an error with a name of its own', Object.assign(new Error('late'), { name: 'Timeout' }), 'Timeout: late'],
    ['a text', 'no reason', 'no reason'],
  ])('the whole error, when a handler throws %s, and first which event it was, and why', async (_, thrown, why) => {
    const lines = await printed((receiver) => post(receiver), thrown);
    expect(lines).toEqual([expect.objectContaining({ code: 'handler_failed', cause: thrown })]);
    expect(String(lines[0]).replace(/evt_\w{26}/, 'evt_…')).toBe(`WebhookError: ping evt_…: ${why}`);
  });
});

it.each(['GET', 'HEAD'])('answers a health check by %s with 200, reads nothing and reports nothing', async (method) => {
  const { receiver, reported } = receiverOf();
  const answer = await receiver.receive({ method, headers: {}, read: () => expect.unreachable() });
  expect([answer.status, answer.body, reported]).toEqual([200, '{"code":"ready"}', []]);
});

it('takes other tolerances and clocks', async () => {
  const at = 1_000_000_000_000;
  const { receiver } = receiverOf({ toleranceSec: 10, now: () => at });
  expect(await post(receiver, { at: at - 10_000 })).toEqual([200, 'ignored']);
  expect(await post(receiver, { at: at - 11_000 })).toEqual([401, 'timestamp_too_old']);
});

describe('the request', () => {
  it('is passed to handlers: its headers, and the id of the attempt', async () => {
    const seen: unknown[] = [];
    const { receiver } = receiverOf({
      on: {
        ping: (_, { deliveryId, header }) =>
          seen.push(deliveryId, header('User-Agent'), header('X-Forwarded-For'), header('x-none')),
      },
    });
    const { headers, body } = await signedDelivery({ key });
    const incoming = { headers: { ...headers, 'X-Forwarded-For': ['a', 'b'] }, read: () => Promise.resolve(body) };
    expect((await receiver.receive(incoming)).status).toBe(200);
    expect(seen).toEqual([headers['x-service-delivery'], 'Service-Webhook/1.0', 'a, b', undefined]);
  });

  it('is passed to onError when it is refused and when its handler fails, in time or too late', async () => {
    const reported: unknown[] = [];
    const work = deferred();
    const receiver = createReceiver({
      keys: publicKey,
      timeoutMs: 20,
      on: { ping: () => work.promise },
      onError: ({ code }, { deliveryId, header }) => reported.push([code, deliveryId, header('webhook-id')]),
    });
    const { headers, body } = await signedDelivery({ key });
    const receive = (text: typeof body) => receiver.receive({ headers, read: () => Promise.resolve(text) });
    await receive('{}');
    await receive(body);
    work.reject(new Error('late'));
    const about = [headers['x-service-delivery'], headers['webhook-id']];
    await expect
      .poll(() => reported)
      .toEqual([
        ['invalid_signature', ...about],
        ['handler_timeout', ...about],
        ['handler_failed', ...about],
      ]);
  });
});

describe('a mistake in the configuration is named at start', () => {
  it.each<[string, ReceiverOptions, RegExp]>([
    ['an address without a scheme', { baseUrl: 'directory.example.com' }, /^baseUrl must be a plain https:\/\/ URL/],
    ['an address and port without a scheme', { baseUrl: 'localhost:3000' }, /must be a plain https:\/\/ URL/],
    [
      'plain HTTP',
      { baseUrl: 'http://directory.example.com' },
      /must be a plain https:\/\/ URL, or http to this machine/,
    ],
    ['only a scheme', { baseUrl: 'https://' }, /^baseUrl must/],
    ['a private key', { keys: key }, /whsk_ is private to the sender/],
    ['one key of several', { keys: [publicKey, publicKey.slice(0, -1)] }, /whpk_ must be followed by 32 bytes/],
  ])('%s', (_, options, message) => {
    expect(() => createReceiver(options)).toThrow(message);
    expect(() => createReceiver(options)).toThrow(errors.ConfigurationError);
  });
});

it.each<[string, ReceiverOptions]>([
  ['neither keys nor an address', { keys: undefined }],
  ['an empty key', { keys: '' }],
  ['an empty list', { keys: [] }],
  ['a list of unset variables', { keys: [process.env.NO_SUCH_VARIABLE, process.env.NOR_THIS] }],
  ['an empty address', { keys: undefined, baseUrl: '' }],
])('%s is imported by a build, and named by the first request', async (_, options) => {
  const { receiver, reported } = receiverOf(options);
  expect(reported).toEqual([]);
  expect(await post(receiver)).toEqual([500, 'invalid_configuration']);
  expect(reported.map(({ message }) => message)).toEqual(['keys: empty or not set']);
});

it('fetches keys when the variable for a fixed one is empty', async () => {
  const fetch = () => Promise.reject(new Error('no route'));
  vi.stubGlobal('fetch', fetch);
  const { receiver, reported } = receiverOf({ keys: '', baseUrl: 'https://directory.example.com' });
  const answer = await post(receiver);
  vi.unstubAllGlobals();
  expect(answer).toEqual([503, 'keys_unavailable']);
  expect(reported[0]?.message).toBe('https://directory.example.com/api/webhooks/keys: Error: no route');
});

it('takes its address as a URL, as the SDK does', () => {
  expect(() => createReceiver({ baseUrl: new URL('https://directory.example.com/sub/') })).not.toThrow();
  expect(() => createReceiver({ baseUrl: new URL('http://directory.example.com') })).toThrow(errors.ConfigurationError);
});
