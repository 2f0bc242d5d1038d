/** Makes `types.gen.ts` from the contract's events: plain interfaces, and a table of fields to check envelopes by. Pure. */
import * as z from 'zod';

interface Schema {
  $ref?: string;
  const?: string;
  type?: string | string[];
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
  const known = envelopes.map((schema) => ({ name: refName(schema), type: resolve(schema, named).properties?.type?.const ?? unknown(schema) }));
  const tables = envelopes.map((schema) => {
    const envelope = resolve(schema, named);
    const data = resolve(envelope.properties?.data ?? unknown(envelope), named);
    return `  '${envelope.properties?.type?.const ?? ''}': { ${fieldKinds(data).join(', ')} },\n`.replace('{  }', '{}');
  });
  return [
    "/** The service's events, from its contract.\n * Written by scripts/generate.ts; do not edit. */\n",
    ...[...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => interfaceOf(name, schema)),
    `/** Event type → envelope. */\nexport interface EventMap {\n${known.map(({ name, type }) => `  '${type}': ${name};\n`).join('')}}\n`,
    `/** What the fields of an event's data must hold; a trailing ? stands for null. */\nexport const dataFields: Record<keyof EventMap, Record<string, string>> = {\n${tables.join('')}};\n`,
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
    if (!schema.required?.includes(name)) throw new TypeError(`${name} is optional, which the generator does not know how to write`);
    return `${member.description === undefined ? '' : `  /** ${member.description} */\n`}  ${name}: ${typeOf(member)};\n`;
  });

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return refName(schema);
  if (schema.const !== undefined) return `'${schema.const}'`;
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0) return 'Record<string, unknown>';
  const kind = kindOf(schema);
  return kind.endsWith('?') ? `${kind.slice(0, -1)} | null` : kind;
};

const fieldKinds = (schema: Schema): string[] =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => `${name}: '${kindOf(member)}'`);

const kindOf = (schema: Schema): string => {
  const { type, items } = schema;
  if (Array.isArray(type) && type[1] === 'null') return `${kindOf({ ...schema, type: type[0] ?? '' })}?`;
  if (type === 'string') return 'string';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' && items?.type === 'string') return 'string[]';
  return unknown(schema);
};

const unknown = (schema: Schema): never => {
  throw new TypeError(`the generator does not know how to write ${JSON.stringify(schema)}`);
};
