/** Makes `types.gen.ts` from the contract's events: plain interfaces, and the list of their types. Pure. */
import * as z from 'zod';

interface Schema {
  $ref?: string;
  const?: string;
  type?: string | string[];
  enum?: string[];
  items?: Schema;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  $defs?: Record<string, Schema>;
}

const docs: Record<string, string> = {
  Bot: 'A published bot.',
  PingEvent: 'Sent before a webhook is saved.',
  BotCreatedEvent: 'Sent when a bot is published.',
};

/** `types.gen.ts`, as text. `events` are the contract's envelopes. */
export const makeTypes = (events: readonly z.ZodType[]): string => {
  const envelopes = events.map((event) => z.toJSONSchema(event) as Schema);
  const named = new Map<string, Schema>();
  for (const { $defs = {} } of envelopes) for (const [name, schema] of Object.entries($defs)) named.set(name, schema);
  const known = envelopes.map((schema) => ({
    name: refName(schema),
    type: resolve(schema, named).properties?.type?.const ?? unknown(schema),
  }));
  return [
    "/** The service's events, from its contract.\n * Written by scripts/generate.ts; do not edit. */\n",
    ...[...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => interfaceOf(name, schema)),
    `/** Event type → envelope. */\nexport interface EventMap {\n${known.map(({ name, type }) => `  '${type}': ${name};\n`).join('')}}\n`,
    `/** The types that this version knows. */\nexport const eventTypes: readonly unknown[] = [${known.map(({ type }) => `'${type}'`).join(', ')}];\n`,
  ].join('\n');
};

const refName = ({ $ref }: Schema): string => ($ref ?? unknown({})).replace('#/$defs/', '');
const resolve = (schema: Schema, named: Map<string, Schema>): Schema =>
  schema.$ref === undefined ? schema : (named.get(refName(schema)) ?? unknown(schema));

const interfaceOf = (name: string, schema: Schema): string => {
  const text = docs[name];
  if (text === undefined) throw new TypeError(`${name} needs a doc comment in scripts/sources.ts`);
  return `/** ${text} */\nexport interface ${name} {\n${membersOf(schema).join('')}}\n`;
};

const membersOf = (schema: Schema): string[] =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => {
    if (!schema.required?.includes(name))
      throw new TypeError(`${name} is optional, which the generator does not know how to write`);
    return `${member.description === undefined ? '' : `  /** ${member.description} */\n`}  ${name}: ${typeOf(member)};\n`;
  });

const typeOf = (schema: Schema): string => {
  const { $ref, const: value, type, items, properties = {} } = schema;
  if ($ref !== undefined) return refName(schema);
  if (value !== undefined) return `'${value}'`;
  if (Array.isArray(type) && type[1] === 'null') return `${typeOf({ ...schema, type: type[0] ?? '' })} | null`;
  if (type === 'string' && schema.enum === undefined) return 'string';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' && items?.type === 'string') return 'string[]';
  return type === 'object' && Object.keys(properties).length === 0 ? 'Record<string, unknown>' : unknown(schema);
};

const unknown = (schema: Schema): never => {
  throw new TypeError(`the generator does not know how to write ${JSON.stringify(schema)}`);
};
