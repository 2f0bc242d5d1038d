/**
 * The gate of the API: which changes of the OpenAPI document break a client of the previous one, and whether the
 * version says so. These may always be added: paths, operations, optional parameters and fields, statuses of errors,
 * headers, events.
 */
import { asObject, schemaComparison, type Json, type Side } from './schema-changes.ts';

type Compare = ReturnType<typeof schemaComparison>;
interface Operation {
  readonly place: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Lists what breaks, one sentence each; empty if every client of the old document can use the new one. */
export const breakingChanges = (before: Json, after: Json): string[] => {
  const compare = schemaComparison(before, after);
  const of = (section: string, sides: readonly [Side, Side]): string[] =>
    operationsIn(before, after, section).flatMap((operation) => operationChanges(operation, compare, sides));
  return [...new Set([...of('paths', ['sent', 'received']), ...of('webhooks', ['received', 'sent'])])];
};

/** Lists why the candidate may not be released; empty if it may. */
export const gate = (released: Json, candidate: Json): string[] => {
  const was = versionOf(released);
  const is = versionOf(candidate);
  if (majorOf(is) > majorOf(was)) return [];
  const broken = breakingChanges(released, candidate);
  return broken.length === 0 ? [] : [`${is} after ${was} breaks clients, which takes a major version:`, ...broken];
};

const word = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const versionOf = (document: Json): string => word(asObject(asObject(document).info).version);
const majorOf = (version: string): number => Number(version.split('.')[0]);

const operationsIn = (before: Json, after: Json, section: string): Operation[] => {
  const was = asObject(asObject(before)[section]);
  const is = asObject(asObject(after)[section]);
  return Object.entries(was).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = asObject(item)[method];
      if (operation === undefined) return [];
      return [{ place: `${method.toUpperCase()} ${path}`, before: operation, after: asObject(is[path])[method] }];
    }),
  );
};

const operationChanges = (
  { place, before, after }: Operation,
  compare: Compare,
  [request, response]: readonly [Side, Side],
): string[] => {
  if (after === undefined) return [`${place}: it is gone`];
  const was = asObject(before);
  const is = asObject(after);
  return [
    ...(was.operationId === is.operationId ? [] : [`${place}: its operationId was another`]),
    ...(JSON.stringify(was.security) === JSON.stringify(is.security) ? [] : [`${place}: its security was another`]),
    ...parameterChanges({ place, before, after }, compare),
    ...bodyChanges({ place: `${place} body`, before: was.requestBody, after: is.requestBody }, compare, request),
    ...responseChanges({ place, before: was.responses, after: is.responses }, compare, response),
  ];
};

const parameterChanges = ({ place, before, after }: Operation, compare: Compare): string[] => {
  const named = (operation: Json | undefined) => {
    const parameters = asObject(operation).parameters ?? [];
    return new Map(
      (parameters as readonly Json[]).map((parameter) => {
        const { name, in: where } = asObject(parameter);
        return [`${word(where)} ${word(name)}`, asObject(parameter)];
      }),
    );
  };
  const was = named(before);
  const is = named(after);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const old = was.get(name);
    const fresh = is.get(name);
    const spot = `${place} ${name}`;
    if (fresh === undefined) return [`${spot}: it is gone`];
    if (fresh.required === true && old?.required !== true) return [`${spot}: it is required`];
    if (old === undefined) return [];
    const oldStyle = styleOf(old);
    const style = styleOf(fresh);
    const restyled = (['style', 'explode', 'allowReserved'] as const).filter((key) => oldStyle[key] !== style[key]);
    return [
      ...restyled.map((key) => `${spot}: its ${key} was another`),
      ...compare('sent', { place: spot, before: old.schema, after: fresh.schema }),
    ];
  });
};

/** Returns how a parameter is serialised, with OpenAPI's defaults where the document is silent. */
const styleOf = ({ in: where, style, explode, allowReserved = false }: Record<string, Json | undefined>) => {
  const written = style ?? (where === 'query' || where === 'cookie' ? 'form' : 'simple');
  return { style: written, explode: explode ?? written === 'form', allowReserved };
};

const bodyChanges = ({ place, before, after }: Operation, compare: Compare, side: Side): string[] => {
  if (side === 'sent' && asObject(after).required === true && asObject(before).required !== true)
    return [`${place}: it is required`];
  return contentChanges({ place, before, after }, compare, side);
};

const contentChanges = ({ place, before, after }: Operation, compare: Compare, side: Side): string[] => {
  const was = asObject(asObject(before).content);
  const is = asObject(asObject(after).content);
  return Object.entries(was).flatMap(([type, content]) =>
    is[type] === undefined
      ? [`${place}: ${type} is gone`]
      : compare(side, { place, before: asObject(content).schema, after: asObject(is[type]).schema }),
  );
};

/** A success must stay, with its headers. Errors may be added: `default` covers them. */
const responseChanges = ({ place, before, after }: Operation, compare: Compare, side: Side): string[] => {
  const was = asObject(before);
  const is = asObject(after);
  return Object.entries(was).flatMap(([status, response]) => {
    const spot = `${place} ${status}`;
    if (is[status] === undefined) return /^[45]/.test(status) ? [] : [`${spot}: it is gone`];
    const headers = Object.keys(asObject(asObject(response).headers));
    const gone = headers.filter((name) => asObject(asObject(is[status]).headers)[name] === undefined);
    return [
      ...gone.map((name) => `${spot}: the header ${name} is gone`),
      ...contentChanges({ place: spot, before: response, after: is[status] }, compare, side),
    ];
  });
};
