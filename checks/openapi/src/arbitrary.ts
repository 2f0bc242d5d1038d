/** Requests generated from the document: valid, nearly valid and hostile ones. */
import fc from 'fast-check';
import type { Operation, Schema } from './document.ts';

/** A request, ready to be sent. */
export interface Request {
  operation: Operation;
  target: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const oddTexts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%00',
  '{"$ne":null}',
  '<script>',
  '\u202e',
  'a'.repeat(3_000),
];
const oddValues = [null, true, -1, 0, 1e308, 0.5, [], {}, [[]], ['x', 1], { length: 9 }, Array(30).fill('slack')];

const oddText = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: 'binary' }), fc.string());
const oddValue = fc.oneof(fc.constantFrom<unknown>(...oddValues), fc.jsonValue(), oddText);

/** Makes values of the schema. URLs are taken from examples, so that nothing else is resolved or requested. */
const valueOf = (schema: Schema): fc.Arbitrary<unknown> => {
  const { const: value, enum: values, anyOf, type, items, properties, required = [], examples = [] } = schema;
  if (value !== undefined) return fc.constant(value);
  if (values !== undefined) return fc.constantFrom(...values);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valueOf));
  if (type === 'integer') return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 });
  if (type === 'array') return fc.array(valueOf(items ?? {}), { maxLength: Math.min(30, schema.maxItems ?? 30) });
  if (type === 'object') {
    const members = Object.entries(properties ?? {});
    const { propertyNames, additionalProperties, maxProperties } = schema;
    if (propertyNames !== undefined && typeof additionalProperties === 'object')
      return fc.dictionary(valueOf(propertyNames) as fc.Arbitrary<string>, valueOf(additionalProperties), {
        maxKeys: maxProperties ?? 10,
      });
    return fc.record(Object.fromEntries(members.map(([name, member]) => [name, valueOf(member)])), {
      requiredKeys: required,
    });
  }
  if (schema.format === 'uri') return fc.constantFrom(...examples);
  if (schema.pattern !== undefined) {
    const matching = fc.stringMatching(new RegExp(schema.pattern));
    return examples.length === 0 ? matching : fc.oneof(fc.constantFrom(...examples), matching);
  }
  return fc.oneof(
    fc.constantFrom(...(examples.length > 0 ? examples : ['slack'])),
    fc.string({ minLength: 1, maxLength: 20 }),
  );
};

/** Makes values of the schema in which one member is odd or missing, or odd values altogether. */
const nearly = (schema: Schema): fc.Arbitrary<unknown> => {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return oddValue;
  const spoilt = fc
    .tuple(valueOf(schema), fc.constantFrom(...names), fc.option(oddValue, { nil: undefined }))
    .map(([value, name, odd]) => ({ ...(value as object), [name]: odd }));
  return fc.oneof({ weight: 3, arbitrary: valueOf(schema) }, { weight: 3, arbitrary: spoilt }, oddValue);
};

const bodyOf = (operation: Operation): fc.Arbitrary<string | undefined> => {
  if (operation.body === undefined) return fc.constant(undefined);
  const json = nearly(operation.body.schema).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 9, arbitrary: json },
    oddText,
    json.map((text) => text.slice(0, -1)),
  );
};

const encode = (value: unknown): string => encodeURIComponent(String(value).toWellFormed());

const parametersOf = (operation: Operation, place: 'path' | 'query' | 'header') =>
  fc.tuple(
    ...operation.parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required }) => {
        const value = fc.oneof({ weight: 4, arbitrary: valueOf(schema) }, oddText);
        // An empty segment, or one of dots, would be another path.
        if (place === 'path')
          return fc.tuple(
            fc.constant(name),
            value.filter((text) => !/^\.{0,2}$/.test(String(text))),
          );
        return fc.tuple(fc.constant(name), required ? value : fc.option(value));
      }),
  );

const targetOf = (operation: Operation): fc.Arbitrary<string> =>
  fc
    .tuple(parametersOf(operation, 'path'), parametersOf(operation, 'query'), fc.option(oddText))
    .map(([path, query, odd]) => {
      const filled = path.reduce((text, [name, value]) => text.replace(`{${name}}`, encode(value)), operation.path);
      const pairs = query.flatMap(([name, value]) =>
        value === null ? [] : [value].flat().map((one) => `${name}=${encode(one)}`),
      );
      if (odd !== null) pairs.push(`${encode(odd)}=${encode(odd)}`);
      return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
    });

/** Replaces characters that are not allowed in a header, which no client can send. */
const headerText = (value: unknown): string => String(value).replace(/[^\x20-\x7e]/g, '?');

const headersOf = (operation: Operation): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(
      parametersOf(operation, 'header'),
      fc.constantFrom('application/json', 'application/json', 'application/json; charset=utf-8', 'text/plain', ''),
    )
    .map(([own, type]) => ({
      ...Object.fromEntries(own.flatMap(([name, value]) => (value === null ? [] : [[name, headerText(value)]]))),
      ...(operation.body === undefined || type === '' ? {} : { 'Content-Type': type }),
    }));

/** Makes requests for these operations. */
export const requestOf = (operations: readonly Operation[]): fc.Arbitrary<Request> =>
  fc.oneof(
    ...operations.map((operation) =>
      fc.record({
        operation: fc.constant(operation),
        target: targetOf(operation),
        headers: headersOf(operation),
        body: bodyOf(operation),
      }),
    ),
  );
