/** A change of the contract reaches the generated files, or is refused with the name of what it breaks. */
import * as contractModule from '@bot-directory/contract';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { makeReceiverSources } from '../src/receiver-sources.ts';
import { makeSdkSources } from '../src/sdk-sources.ts';

const { bot, contract, eventSchemas } = contractModule;
const named = (shape: z.ZodRawShape) => bot.extend(shape).meta({ id: 'Bot', description: 'A published bot.' });

describe('the files of the SDK', () => {
  const present = makeSdkSources(contractModule);
  const drifted = (getBot: object) =>
    makeSdkSources({ ...contractModule, contract: { ...contract, getBot: { ...contract.getBot, ...getBot } } });

  it('follow a field, a path and an event type', () => {
    const other = bot.extend({ planted: z.string().optional() }).meta({ id: 'Other', description: 'Another.' });
    expect(drifted({ responses: { 200: other } }).types).toContain('planted?: string;');
    expect(drifted({ path: '/api/robots/:slug' }).operations).toContain("path: '/api/robots/:slug'");
    const types = contractModule.loggedEventTypes.map((type) => `'${type}'`).join(', ');
    expect(present.operations).toContain(`= [${types}];`);
  });

  it('are refused for two schemas of one name', () => {
    expect(() => drifted({ responses: { 200: named({ planted: z.string() }) } })).toThrow('two schemas are named Bot');
  });

  it('are refused for a response without a name, and for two parameters of one name', () => {
    expect(() => drifted({ responses: { 200: z.object({ a: z.string() }) } })).toThrow(
      'getBot: give the schema of its response a name',
    );
    expect(() => drifted({ query: z.object({ slug: z.string() }) })).toThrow('getBot: two parameters share a name');
  });

  it('are refused for a write that may not be repeated', () => {
    const addPost = { ...contract.addPost, metadata: { ...contract.addPost.metadata, repeatable: false } };
    expect(() => makeSdkSources({ ...contractModule, contract: { ...contract, addPost } })).toThrow(
      'addPost: the SDK repeats a request',
    );
  });
});

describe('the types of the receiver', () => {
  const created = (shape: z.ZodRawShape) =>
    eventSchemas['bot.created']
      .extend({ data: named(shape) })
      .meta({ id: 'BotCreatedEvent', description: 'A bot was published.' });

  it.each([
    ['a new field', { planted: z.string() }, 'planted: string;'],
    ['a new optional field', { planted: z.string().optional() }, 'planted?: string;'],
    ['a field that may be null', { slug: z.string().nullable() }, 'slug: string | null;'],
    ['another type', { install_count: z.string() }, 'install_count: string;'],
    ['another description', { slug: z.string().describe('other') }, '/** other */'],
  ])('follow %s', (_, shape, text) => {
    expect(makeReceiverSources({ 'bot.created': created({}) }).types).not.toContain(text);
    expect(makeReceiverSources({ 'bot.created': created(shape) }).types).toContain(text);
  });

  it('follow an event type', () => {
    const planted = eventSchemas['bot.created'].meta({ id: 'BotPlantedEvent', description: 'Planted.' });
    const { types, eventTypes } = makeReceiverSources({ ping: eventSchemas.ping, 'bot.planted': planted });
    expect(types).toContain("'bot.planted': BotPlantedEvent;");
    expect(eventTypes).toContain("= ['ping', 'bot.planted'];");
  });
});
