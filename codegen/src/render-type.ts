/** Renders JSON Schema, as zod makes it, as TypeScript. An unknown construct stops the generator. */

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  description?: string;
  format?: string;
}

/** `output`: what the server returns; its enums are open, because values may be added. `input`: what a caller sends. */
export type Direction = 'input' | 'output';

const primitives: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Renders a schema as a type expression. */
export const renderType = (schema: Schema, direction: Direction): string => {
  const { $ref, const: value, enum: values, anyOf, oneOf, type, items, format } = schema;
  if ($ref !== undefined) return refName(schema);
  if (value !== undefined) return literal(value);
  if (values !== undefined)
    return [...values.map(literal), ...(direction === 'output' ? ['(string & {})'] : [])].join(' | ');
  const options = anyOf ?? oneOf;
  if (options !== undefined) return options.map((option) => renderType(option, direction)).join(' | ');
  if (type === 'array' && items !== undefined) {
    const item = renderType(items, direction);
    const [open, array] = direction === 'input' ? ['readonly ', 'ReadonlyArray'] : ['', 'Array'];
    return item.includes('|') ? `${array}<${item}>` : `${open}${item}[]`;
  }
  if (format === 'date-time' && direction === 'input') return 'string | Date';
  if (type === 'object') {
    if (Object.keys(schema.properties ?? {}).length > 0) return renderMembers(schema, direction);
    const { additionalProperties: value } = schema;
    return `Record<string, ${typeof value === 'object' && Object.keys(value).length > 0 ? renderType(value, direction) : 'unknown'}>`;
  }
  return [type]
    .flat()
    .map((name) => primitives[name ?? ''] ?? unknown(schema))
    .join(' | ');
};

/** Returns the name that a reference points to. */
export const refName = (schema: Schema): string => (schema.$ref ?? unknown(schema)).replace('#/$defs/', '');

/** Renders an object schema's members in braces. A member of type `never` is how the contract refuses a field. */
export const renderMembers = (schema: Schema, direction: Direction): string => {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (member.not !== undefined) return [];
    const optional = !(schema.required ?? []).includes(name);
    const absent = optional && direction === 'input' ? ' | undefined' : '';
    return [`${doc(member.description)}${name}${optional ? '?' : ''}: ${renderType(member, direction)}${absent};`];
  });
  return `{\n${members.join('\n')}\n}`;
};

/** Renders a named schema as an exported declaration. Its description becomes its doc comment. */
export const renderDeclaration = (name: string, schema: Schema): string => {
  if (schema.description === undefined) throw new TypeError(`${name} needs a description in the contract`);
  const declaration =
    schema.type === 'object'
      ? `interface ${name} ${renderMembers(schema, 'output')}`
      : `type ${name} = ${renderType(schema, 'output')};`;
  return `${doc(schema.description)}export ${declaration}\n`;
};

/** Makes a doc comment on a line of its own; empty without a text. */
export const doc = (text: string | undefined): string => {
  if (text === undefined) return '';
  // Editors read a bare @ as a tag and cut the text there.
  if (/\*\/|(^|[^`\w])@/.test(text)) throw new TypeError(`this would end the comment, or be cut in editors: ${text}`);
  return `/** ${text} */\n`;
};

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : unknown({ const: value }));

const unknown = (schema: Schema): never => {
  throw new TypeError(`the generator does not know how to write ${JSON.stringify(schema)}`);
};
