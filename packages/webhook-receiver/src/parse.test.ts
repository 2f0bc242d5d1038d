import { describe, expect, expectTypeOf, it } from 'vitest';
import * as errors from './errors.ts';
import type { Event } from './event.ts';
import { parse } from './parse.ts';
import { type Envelope, generateKeyPair, sampleEvent, signedDelivery } from './testing/index.ts';
import type { Bot } from './types.gen.ts';

const { publicKey, privateKey: key } = await generateKeyPair();
const parseEvent = async (event: Envelope, headers: Record<string, string | undefined> = {}) => {
  const delivery = await signedDelivery({ event, key });
  return parse(delivery.body, { ...delivery.headers, ...headers }, { keys: publicKey });
};

describe('an event', () => {
  it('of a known type says so', async () => {
    for (const event of [sampleEvent('ping'), sampleEvent('bot.created')])
      expect(await parseEvent(event)).toEqual({ ...event, known: true });
  });

  it('of an unknown type is not an error, whatever its data', async () => {
    const types = ['bot.deleted', 'toString', '__proto__'];
    for (const type of types)
      for (const data of [undefined, null, [1]]) {
        const event = { ...sampleEvent('ping'), type, data };
        expect(await parseEvent(event)).toMatchObject({ type, known: false });
      }
  });

  it('may bring fields that this version does not know, even one called known', async () => {
    const created = sampleEvent('bot.created');
    const event = { ...created, known: false, trace: 'x', data: { ...created.data, colour: 'red' } };
    expect(await parseEvent(event)).toEqual({ ...event, known: true });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no string as id', { id: 7 }],
    ['no date', { created_at: undefined }],
    ['no type', { type: undefined }],
    ['no data', { data: undefined }],
    ['null as data', { data: null }],
    ['text as data', { data: 'bot' }],
  ])('with %s is refused', async (_, change) => {
    await expect(parseEvent({ ...sampleEvent('bot.created'), ...change })).rejects.toThrow(errors.InvalidEnvelopeError);
  });

  it.each(['null', '[]', '"evt_1"', '1'])('is not %s', async (body) => {
    const delivery = await signedDelivery({ body, key });
    await expect(parse(delivery.body, delivery.headers, { keys: publicKey })).rejects.toThrow(
      errors.InvalidEnvelopeError,
    );
  });

  it('is refused when the headers name another', async () => {
    const event = sampleEvent('ping');
    await expect(parseEvent(event, { 'x-service-event': 'bot.created' })).rejects.toThrow(errors.HeaderMismatchError);
    const delivery = await signedDelivery({ event, body: JSON.stringify({ ...event, id: 'evt_other' }), key });
    await expect(parse(delivery.body, delivery.headers, { keys: publicKey })).rejects.toThrow(
      errors.HeaderMismatchError,
    );
    expect(await parseEvent(event, { 'x-service-event': undefined })).toMatchObject({ type: 'ping' });
  });

  it('that is not JSON or not UTF-8 is refused with its own error and a cause', async () => {
    for (const [body, kind] of [
      ['{"id":', errors.InvalidJsonError],
      [Uint8Array.of(0x22, 0xff, 0x22), errors.InvalidEncodingError],
    ] as const) {
      const delivery = await signedDelivery({ body, key });
      const error: unknown = await parse(delivery.body, delivery.headers, { keys: publicKey }).catch(
        (caught: unknown) => caught,
      );
      expect(error).toBeInstanceOf(kind);
      expect(error).toHaveProperty('cause');
    }
  });

  it('is not read before its signature holds', async () => {
    const delivery = await signedDelivery({ body: 'no JSON', key: (await generateKeyPair()).privateKey });
    await expect(parse(delivery.body, delivery.headers, { keys: publicKey })).rejects.toThrow(errors.SignatureError);
  });

  it('narrows by its type once it is known', () => {
    const read = (event: Event): string => {
      if (!event.known) return event.type;
      switch (event.type) {
        case 'ping':
          return event.id;
        case 'bot.created':
          expectTypeOf(event.data).toEqualTypeOf<Bot>();
          return event.data.slug;
      }
    };
    expect(read({ ...sampleEvent('bot.created', { slug: 'a' }), known: true })).toBe('a');
  });
});

describe('errors', () => {
  const { WebhookError, ...classesByName } = errors;
  const classes = Object.values(classesByName);

  it('have a code and a class each', () => {
    expect(new Set(classes.map(({ code }) => code)).size).toBe(classes.length);
    for (const Class of classes) {
      const error = new Class('why', 'cause');
      expect(error).toMatchObject({ code: Class.code, name: 'WebhookError', message: 'why', cause: 'cause' });
      expect(new Class().message).toBe(Class.code);
      expect(error).toBeInstanceOf(WebhookError);
      expect(classes.filter((other) => error instanceof other)).toEqual([Class]);
    }
  });

  it('keep instanceof honest for other values', () => {
    expect(new errors.WebhookError('other', 500) instanceof errors.SignatureError).toBe(false);
    for (const value of [null, undefined, 'x', {}, new Error('x')])
      expect(value instanceof errors.WebhookError).toBe(false);
  });
});
