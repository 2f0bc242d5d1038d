/**
 * The server enforces each bound that the document states: it names the field of a value beyond it, with its own
 * reason.
 */
import { describe, expect, it } from 'vitest';
import { startDirectory } from '@bot-directory/testing/directory';
import { useStarted } from '@bot-directory/testing/use-started';
import { operations, type Operation, type Schema } from '../src/document.ts';

const directory = useStarted(() => startDirectory({ settings: { WRITE_RATE_LIMIT: '0' } }));

/** A value at a bound, if there is one to compute, and a value beyond it. */
type Crossing = { readonly bound: string; readonly at?: unknown; readonly beyond: unknown };

const textOf = (length: number, example: unknown): string =>
  typeof example === 'string' && example.length <= length ? example.padEnd(length, 'a') : 'a'.repeat(length);

const crossingsOf = ({ pattern, minLength, maxLength, maxItems, minimum, maximum, ...schema }: Schema): Crossing[] => {
  const [example] = schema.examples ?? [];
  // All the same, so that a check that counts different ones does not refuse them.
  const filled = (length: number) => Array.from({ length }, () => schema.items?.examples?.[0]);
  return [
    ...(pattern === undefined ? [] : [{ bound: `pattern ${pattern}`, beyond: '!' }]),
    ...(minLength === 1 ? [{ bound: 'minLength 1', beyond: '' }] : []),
    ...(maxLength === undefined
      ? []
      : [{ bound: `maxLength ${maxLength}`, at: textOf(maxLength, example), beyond: textOf(maxLength + 1, example) }]),
    ...(maxItems === undefined
      ? []
      : [{ bound: `maxItems ${maxItems}`, at: filled(maxItems), beyond: filled(maxItems + 1) }]),
    ...(minimum === undefined ? [] : [{ bound: `minimum ${minimum}`, at: minimum, beyond: minimum - 1 }]),
    ...(maximum === undefined ? [] : [{ bound: `maximum ${maximum}`, at: maximum, beyond: maximum + 1 }]),
    ...(schema.enum === undefined ? [] : [{ bound: 'enum', at: schema.enum[0], beyond: 'another' }]),
  ];
};

type Case = Crossing & { readonly operation: Operation; readonly field: string; readonly item: boolean };

const casesOf = (operation: Operation): Case[] => {
  const parameters = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [`?${name}`, schema] as const);
  const members = Object.entries(operation.body?.schema.properties ?? {}).map(
    // A field that may be null has the bounds of its first alternative.
    ([name, schema]) => [`/${name}`, schema.anyOf?.[0] ?? schema] as const,
  );
  return [...parameters, ...members].flatMap(([field, schema]) => [
    ...crossingsOf(schema).map((crossing) => ({ ...crossing, operation, field, item: false })),
    ...crossingsOf(schema.items ?? {}).map((crossing) => ({ ...crossing, operation, field, item: true })),
  ]);
};

const cases = operations.flatMap(casesOf);

/** Sends the field with this value. Returns what the server says about the field; undefined if it accepts it. */
const complaint = async ({ operation, field, item }: Case, value: unknown): Promise<string | undefined> => {
  const name = field.slice(1);
  const given = item ? [value] : value;
  const url = new URL(operation.path.replace(/\{\w+\}/g, 'a-bot'), directory.baseUrl);
  if (field.startsWith('?')) url.searchParams.set(name, String(given));
  const body = field.startsWith('/')
    ? JSON.stringify({ ...(operation.body?.example as object), [name]: given })
    : undefined;
  const response = await fetch(url, {
    method: operation.method,
    ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
  });
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    await response.body?.cancel();
    return undefined;
  }
  const { errors = [] } = (await response.json()) as { errors?: { pointer: string; detail: string }[] };
  return errors.find(({ pointer }) => pointer === field || pointer.startsWith(`${field}/`))?.detail;
};

describe('a bound of the document', () => {
  it('is stated for many fields', () => expect(cases.length).toBeGreaterThan(20));

  it.each(
    cases.map((one) => [`${one.operation.name} ${one.field}${one.item ? '[]' : ''}: ${one.bound}`, one] as const),
  )('%s', async (_, one) => {
    const said = await complaint(one, one.beyond);
    expect(said).toBeDefined();
    if (one.at !== undefined) expect(await complaint(one, one.at)).not.toBe(said);
  });
});
