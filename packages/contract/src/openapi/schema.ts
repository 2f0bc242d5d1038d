/** The contract's schemas as JSON Schema 2020-12, with named ones as components, and an example of each. */
import * as z from 'zod';

/** Any JSON object. */
export type Json = { [key: string]: unknown };

/** Named schemas of the document, by name. */
export type Components = Map<string, Json>;

/** Converts a schema to what the document shows. Adds to `components` the named schemas that it refers to. */
export const schemaOf = (schema: unknown, io: 'input' | 'output', components: Components): Json => {
  if (!(schema instanceof z.ZodType)) throw new TypeError('a contract schema must be a zod schema');
  const { $schema: _dialect, $defs = {}, ...body } = open(z.toJSONSchema(schema, { io, reused: 'inline' }));
  for (const [name, definition] of Object.entries($defs as Record<string, Json>)) components.set(name, definition);
  return body;
};

// Responses may grow: a client made from this document must accept unknown fields. Fields that are refused are left
// out, because tools make a sample of them.
const open = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      if (key === '$ref') return String(inner).replace('#/$defs/', '#/components/schemas/');
      if (typeof inner === 'object' && inner !== null && 'not' in inner) return undefined;
      return key === 'additionalProperties' && inner === false ? undefined : inner;
    }),
  ) as Json;

/** Makes an example of a schema from those of its fields. Throws if a field has none. */
export const exampleOf = (schema: Json, components: Components): unknown => {
  const { $ref, examples, const: value, enum: values, anyOf, items, properties, type } = schema;
  if (typeof $ref === 'string')
    return exampleOf(components.get($ref.replace('#/components/schemas/', '')) ?? {}, components);
  if (Array.isArray(examples)) return examples[0];
  if (value !== undefined) return value;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as Json, components);
  if (type === 'array') return [exampleOf(items as Json, components)];
  if (type !== 'object') throw new TypeError(`this needs an example: ${JSON.stringify(schema)}`);
  const members = Object.entries((properties ?? {}) as Record<string, Json>);
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, components)]));
};
