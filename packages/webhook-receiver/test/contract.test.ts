/** The types and the envelopes are the contract's; one that drifts from them fails the build. */
import * as contract from '@bot-directory/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ChosenType, EventMap, EventType } from '../src/index.ts';
import { defaultEvents, readEvent } from '../src/event.ts';
import { sampleEvent } from '../src/testing/index.ts';

/** With absent members distinguished from undefined ones, as JSON has only the former. */
type Plain<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: undefined extends T[K] ? Plain<Exclude<T[K], undefined>> : Plain<T[K]> }
    : T;

it('equals the contract, both ways', () => {
  expectTypeOf<EventType>().toEqualTypeOf<contract.EventType>();
  expectTypeOf<ChosenType>().toEqualTypeOf<contract.LoggedEventType>();
  expect(defaultEvents).toEqual(contract.defaultEventTypes);
  // A ping's data, which may gain fields, is not the contract's `{}`, which forbids them.
  expectTypeOf<Plain<Omit<EventMap, 'ping'>>>().toEqualTypeOf<Plain<Pick<contract.EventMap, ChosenType>>>();
  expectTypeOf<Omit<EventMap['ping'], 'data'>>().toEqualTypeOf<Omit<contract.EventMap['ping'], 'data'>>();
  expectTypeOf<contract.EventMap['ping']['data']>().toExtend<EventMap['ping']['data']>();
});

describe.each(contract.eventTypes)('a %s', (type) => {
  const schema = contract.eventSchemas[type];
  const chosen: readonly ChosenType[] = contract.loggedEventTypes.filter((one) => one === type);

  it('that the contract accepts is read, such as a sample', () => {
    const event = sampleEvent(type);
    expect(schema.parse(event)).toEqual(event);
    expect(readEvent(event, chosen)).toEqual({ ...event, known: true });
    expect(readEvent(event, [])).toEqual({ ...event, known: type === 'ping' });
  });

  it('that lacks any one field is refused, as the contract refuses it', () => {
    for (const field of Object.keys(schema.shape).filter((name) => name !== 'type')) {
      const event = { ...sampleEvent(type), [field]: undefined };
      expect(schema.safeParse(event).success).toBe(false);
      expect(() => readEvent(event, chosen)).toThrow(field);
    }
  });
});

describe('an envelope', () => {
  it('has the headers that the contract names', async () => {
    const { signedDelivery, generateSecret } = await import('../src/testing/index.ts');
    const { headers } = await signedDelivery({ key: generateSecret() });
    const named = Object.values(contract.deliveryHeaders).map((name) => name.toLowerCase());
    expect(Object.keys(headers).sort()).toEqual([...named, 'content-type', 'user-agent'].sort());
    expect(headers['user-agent']).toBe(contract.deliveryUserAgent);
  });
});
