/** Generates the receiver's files from the contract's events: envelopes, the list of their types, samples. Pure. */
import { exampleFor } from '@bot-directory/contract';
import type * as z from 'zod';
import { banner } from './banner.ts';
import { refName } from './render-type.ts';
import { jsonSchema, sorted, type Shapes } from './shapes.ts';

/** Makes the types and the list, as text. `events` has each envelope's schema by type. */
export const makeReceiverSources = (events: Readonly<Record<string, z.ZodType>>) => {
  const shapes: Shapes = new Map();
  const members = Object.entries(events).map(
    ([type, schema]) => `'${type}': ${refName(jsonSchema(schema, 'output', shapes))};\n`,
  );
  const types = Object.keys(events).map((type) => `'${type}'`);
  return {
    types: [
      banner("The service's events, from its contract."),
      ...sorted(shapes),
      `/** Event type → envelope. */\nexport interface EventMap {\n${members.join('')}}\n`,
    ].join('\n'),
    eventTypes: [
      banner("The types of the service's events, from its contract."),
      `/** The types that this version knows. */\nexport const eventTypes: readonly unknown[] = [${types.join(', ')}];\n`,
    ].join('\n'),
  };
};

/** Makes a sample of each event's data, as text. */
export const makeReceiverSamples = (events: Readonly<Record<string, z.ZodType<{ data: unknown }>>>): string => {
  const samples = Object.entries(events).map(([type, schema]) => [type, exampleFor(schema).data]);
  return [
    banner("A sample of each event's data, from the examples of the service's contract."),
    "import type { EventMap } from '../types.gen.ts';\n",
    '/** By event type. */',
    "export const samples: { readonly [Type in keyof EventMap]: EventMap[Type]['data'] } =",
    `${JSON.stringify(Object.fromEntries(samples))};\n`,
  ].join('\n');
};
