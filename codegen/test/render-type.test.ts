import { describe, expect, it } from 'vitest';
import { renderDeclaration, renderMembers, renderType } from '../src/render-type.ts';

describe('a JSON Schema as a type', () => {
  it.each([
    [{ $ref: '#/$defs/Bot' }, 'Bot'],
    [{ const: 'ping' }, "'ping'"],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'array', items: { type: 'integer' } }, 'number[]'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, 'Array<string | null>'],
    [{ anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] }, 'A | B'],
    [{ oneOf: [{ $ref: '#/$defs/A' }] }, 'A'],
    [{ type: 'object', properties: {} }, 'Record<string, unknown>'],
  ])('%j is %s', (schema, type) => expect(renderType(schema, 'output')).toBe(type));

  it('has open enums in responses and closed ones in inputs', () => {
    expect(renderType({ enum: ['a', 'b'] }, 'output')).toBe("'a' | 'b' | (string & {})");
    expect(renderType({ enum: ['a', 'b'] }, 'input')).toBe("'a' | 'b'");
  });

  it('has optional members, which a caller may also give as undefined', () => {
    const schema = { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] };
    expect(renderMembers(schema, 'output')).toBe('{\na: string;\nb?: string;\n}');
    expect(renderMembers(schema, 'input')).toBe('{\na: string;\nb?: string | undefined;\n}');
  });

  it('leaves out a member that no value fits', () => {
    expect(renderMembers({ properties: { a: { not: {} } } }, 'input')).toBe('{\n\n}');
  });

  it.each([{ type: 'tuple' }, { const: 7 }, {}])('is refused for %j', (schema) => {
    expect(() => renderType(schema, 'output')).toThrow('the generator does not know how to write');
  });
});

describe('a named schema as a declaration', () => {
  it('is an interface when it is an object, otherwise an alias, under its description', () => {
    const object = { type: 'object', description: 'One.', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(renderDeclaration('One', object)).toBe('/** One. */\nexport interface One {\na: string;\n}\n');
    expect(renderDeclaration('Two', { description: 'Two.', anyOf: [{ $ref: '#/$defs/One' }] })).toBe(
      '/** Two. */\nexport type Two = One;\n',
    );
  });

  it('is refused without a description, or with one that editors would cut', () => {
    expect(() => renderDeclaration('Other', { type: 'object' })).toThrow('Other needs a description');
    expect(() => renderDeclaration('Other', { type: 'object', description: 'such as @handle' })).toThrow('cut');
    expect(renderDeclaration('Other', { description: 'such as `@handle`', $ref: '#/$defs/A' })).toContain('@handle');
  });
});
