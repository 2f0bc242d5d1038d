/** The types and the envelopes are the contract's; one that drifts from them fails the build. */
import * as contract from '@bot-directory/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Bot, BotCreatedEvent, EventType, PingEvent } from '../src/index.ts';
import { readEvent } from '../src/event.ts';
import { sampleEvent } from '../src/testing/index.ts';

const { ping: pingEvent, 'bot.created': botCreatedEvent } = contract.eventSchemas;

/** With absent members told from undefined ones, as JSON has only the former. */
type Plain<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: undefined extends T[K] ? Plain<Exclude<T[K], undefined>> : Plain<T[K]> }
    : T;

it('equals the contract, both ways', () => {
  expectTypeOf<EventType>().toEqualTypeOf<contract.DeliveredEventType>();
  expectTypeOf<Plain<Bot>>().toEqualTypeOf<Plain<contract.Bot>>();
  expectTypeOf<Plain<BotCreatedEvent>>().toEqualTypeOf<Plain<contract.EventMap['bot.created']>>();
  // Data that may gain fields is not the contract's `{}`, which forbids them.
  expectTypeOf<Omit<PingEvent, 'data'>>().toEqualTypeOf<Omit<contract.EventMap['ping'], 'data'>>();
  expectTypeOf<contract.EventMap['ping']['data']>().toExtend<PingEvent['data']>();
});

describe('an envelope', () => {
  it('that the contract takes is read, and a sample is one', () => {
    for (const [schema, event] of [
      [pingEvent, sampleEvent('ping')],
      [botCreatedEvent, sampleEvent('bot.created')],
    ] as const) {
      expect(schema.parse(event)).toEqual(event);
      expect(readEvent(event)).toEqual({ ...event, known: true });
    }
  });

  it('that lacks any one field is refused, as the contract refuses it', () => {
    for (const field of Object.keys(botCreatedEvent.shape).filter((name) => name !== 'type')) {
      const event = { ...sampleEvent('bot.created'), [field]: undefined };
      expect(botCreatedEvent.safeParse(event).success).toBe(false);
      expect(() => readEvent(event)).toThrow(field);
    }
  });

  it('has the headers that the contract names', async () => {
    const { signedDelivery, generateSecret } = await import('../src/testing/index.ts');
    const { headers } = await signedDelivery({ key: generateSecret() });
    const named = Object.values(contract.deliveryHeaders).map((name) => name.toLowerCase());
    expect(Object.keys(headers).sort()).toEqual([...named, 'content-type', 'user-agent'].sort());
    expect(headers['user-agent']).toBe(contract.deliveryUserAgent);
  });
});
