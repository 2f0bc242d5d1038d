/** The generated types are what the contract gives; a contract that drifts from them fails the build. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contract from '@bot-directory/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { makeTypes } from '../scripts/sources.ts';
import type { Bot, BotCreatedEvent, EventType, PingEvent } from '../src/index.ts';
import { readEvent } from '../src/event.ts';
import { sampleEvent } from '../src/testing/index.ts';

const { pingEvent, botCreatedEvent } = contract;
const committed = readFileSync(join(import.meta.dirname, '../src/types.gen.ts'), 'utf8');

describe('types.gen.ts', () => {
  it('is what the generator writes', () => expect(makeTypes([pingEvent, botCreatedEvent])).toBe(committed));

  it('equals the contract, both ways', () => {
    expectTypeOf<EventType>().toEqualTypeOf<contract.EventType>();
    expectTypeOf<Bot>().toEqualTypeOf<contract.Bot>();
    expectTypeOf<BotCreatedEvent>().toEqualTypeOf<contract.BotCreatedEvent>();
    // Data that may gain fields is not the contract's `{}`, which forbids them.
    expectTypeOf<Omit<PingEvent, 'data'>>().toEqualTypeOf<Omit<contract.PingEvent, 'data'>>();
    expectTypeOf<contract.PingEvent['data']>().toExtend<PingEvent['data']>();
  });

  it('is another one when the contract drifts', () => {
    const bot = (shape: z.ZodRawShape) => contract.bot.extend(shape).meta({ id: 'Bot' });
    const drifted = (shape: z.ZodRawShape) =>
      makeTypes([pingEvent, botCreatedEvent.extend({ data: bot(shape) }).meta({ id: 'BotCreatedEvent' })]);
    expect(drifted({})).toBe(committed);
    for (const shape of [
      { planted: z.string() },
      { slug: z.string().nullable() },
      { install_count: z.string() },
      { slug: z.string().describe('other') },
    ]) {
      expect(drifted(shape)).not.toBe(committed);
    }
  });

  it('is refused for what the generator does not know', () => {
    const event = (data: z.ZodType) => botCreatedEvent.extend({ data }).meta({ id: 'BotCreatedEvent' });
    for (const part of [z.string().optional(), z.enum(['a']), z.tuple([z.string()]), z.array(z.int())]) {
      expect(() => makeTypes([event(z.object({ part }))])).toThrow(TypeError);
    }
    expect(() => makeTypes([event(z.object({ part: z.string() }).meta({ id: 'Other' }))])).toThrow(
      'Other needs a doc comment',
    );
    expect(() => makeTypes([botCreatedEvent.extend({ type: z.string() }).meta({ id: 'BotCreatedEvent' })])).toThrow(
      TypeError,
    );
  });
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
