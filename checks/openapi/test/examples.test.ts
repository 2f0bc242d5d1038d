/** Every example of the document, wherever it stands, is valid by the schema next to it. */
import { openApi } from '@bot-directory/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';

const document = JSON.parse(JSON.stringify(openApi())) as object;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(document, 'document');

type Example = { readonly at: string; readonly schema: string; readonly value: unknown };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const escape = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Reads the value of a reference within the document. */
const follow = (value: unknown): unknown => {
  if (!isObject(value) || typeof value.$ref !== 'string') return value;
  return value.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, step) => (isObject(node) ? node[decodeURIComponent(step)] : undefined), document);
};

/** A schema has `examples`, a list; a parameter or a content has `example`, or `examples` by name, and a `schema`. */
const examplesOf = (node: Record<string, unknown>, at: string): Example[] => {
  const schema = `${at}/schema`;
  if (Array.isArray(node.examples)) return node.examples.map((value) => ({ at, schema: at, value }));
  const named = isObject(node.examples) && at !== '/components' ? Object.values(node.examples).map(follow) : [];
  const values = named.map((one) => (isObject(one) ? one.value : undefined));
  return [...values, ...('example' in node ? [node.example] : [])].map((value) => ({ at, schema, value }));
};

/** Finds the examples below a node. Members of `properties` and of `components/examples` have names of their own. */
const find = (node: unknown, at = '', isNamed = false): Example[] => {
  if (!isObject(node)) return [];
  const own = isNamed ? [] : examplesOf(node, at);
  const below = Object.entries(node)
    .filter(([name]) => isNamed || !/^examples?$/.test(name))
    .flatMap(([name, value]) =>
      find(value, `${at}/${escape(name)}`, !isNamed && /^(?:properties|content)$/.test(name)),
    );
  return [...own, ...below];
};

const examples = find(document);

it('finds the examples', () => {
  const text = JSON.stringify(document);
  expect(examples.length).toBeGreaterThan([...text.matchAll(/"examples?":/g)].length - 2);
});

it.each(examples.map((example) => [example.at, example] as const))('%s', (_at, { schema, value }) => {
  const validate = ajv.getSchema(`document#${schema}`);
  if (validate === undefined) throw new Error(`there is no schema at ${schema}`);
  expect(validate(value) === true ? '' : ajv.errorsText(validate.errors)).toBe('');
});
