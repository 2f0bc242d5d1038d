/** Generates the receiver's two files from the contract's events: envelopes, and the list of their types. Pure. */
import type * as z from 'zod';
import { banner } from './banner.ts';
import { refName } from './render-type.ts';
import { jsonSchema, sorted, type Shapes } from './shapes.ts';

/** Both, as text. `events` has each envelope's schema by type. */
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
