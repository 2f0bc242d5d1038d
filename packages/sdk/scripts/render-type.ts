/** Writes JSON Schema, as the contract's schemas give it, as TypeScript. A construct that it does not know stops the generator. */

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  not?: Schema;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}

/** `output`: what the server answers; its enums are open, for values may be added. `input`: what a caller gives. */
export type Direction = 'input' | 'output';

const primitives: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A schema as a type expression. Objects spread over lines, indented by `indent`. */
export const renderType = (schema: Schema, direction: Direction, indent = ''): string => {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined)
    return [...schema.enum.map(literal), ...(direction === 'output' ? ['(string & {})'] : [])].join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => renderType(one, direction, indent)).join(' | ');
  if (schema.type === 'array' && schema.items !== undefined) {
    const item = renderType(schema.items, direction, indent);
    return item.includes('|') ? `Array<${item}>` : `${item}[]`;
  }
  if (schema.type === 'object') return renderMembers(schema, direction, indent);
  const names = [schema.type].flat().map((type) => primitives[type ?? ''] ?? unknown(schema));
  return names.join(' | ');
};

/** An object schema's members in braces. */
export const renderMembers = (schema: Schema, direction: Direction, indent = ''): string => {
  const inner = `${indent}  `;
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (member.not !== undefined) return [];
    const optional = !(schema.required ?? []).includes(name);
    const absent = optional && direction === 'input' ? ' | undefined' : '';
    return [
      ...doc(member.description, inner),
      `${inner}${name}${optional ? '?' : ''}: ${renderType(member, direction, inner)}${absent};`,
    ];
  });
  return ['{', ...members, `${indent}}`].join('\n');
};

/** A doc comment of one line, or none. */
export const doc = (text: string | undefined, indent = ''): string[] =>
  text === undefined ? [] : [`${indent}/** ${text} */`];

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : unknown({ const: value }));

const unknown = (schema: Schema): never => {
  throw new TypeError(`the generator does not know how to write ${JSON.stringify(schema)}`);
};
