/**
 * Finds which changes of a schema break those who rely on it. The rule is strict: a change that is not known to be
 * harmless breaks. The schemas of two documents are compared keyword by keyword; `$ref`s are followed, each pair once.
 */

/** Who relies on it: callers, for what they send; readers, for what they receive. */
export type Side = 'sent' | 'received';

/** A document as JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Schema = { readonly [key: string]: Json };

/** The compared values: their place in words, and their two states. */
export interface Change {
  readonly place: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Compares schemas of two documents. Returns what breaks, one sentence each. */
export const schemaComparison = (beforeDocument: Json, afterDocument: Json) => {
  /** The result of each pair; empty while it is being compared, so that a schema may contain itself. */
  const known = new Map<string, string[]>();

  const compare = (side: Side, { place, before: rawBefore, after: rawAfter }: Change): string[] => {
    const before = resolve(beforeDocument, rawBefore);
    const after = resolve(afterDocument, rawAfter);
    const pair = JSON.stringify([side, rawBefore, rawAfter]);
    if (JSON.stringify(before) === JSON.stringify(after) && !/"\$ref"/.test(pair)) return [];
    const answer = known.get(pair);
    if (answer !== undefined) return answer;
    known.set(pair, []);
    const found = [
      ...values(side, { place, before, after }),
      ...bounds(side, { place, before, after }),
      ...properties(side, { place, before, after }, compare),
      ...nested(
        side,
        { place, before, after },
        { compare, typeBefore: typeIn(beforeDocument), typeAfter: typeIn(afterDocument) },
      ),
      ...others({ place, before, after }),
    ];
    known.set(pair, found);
    return found;
  };
  return compare;
};

type Compare = (side: Side, change: Change) => string[];
type TypeOf = (schema: Json) => string;
interface Pair {
  readonly place: string;
  readonly before: Schema;
  readonly after: Schema;
}

const resolve = (document: Json, schema: Json | undefined): Schema => {
  const found = asObject(schema);
  if (typeof found.$ref !== 'string') return found;
  const steps = found.$ref.replace(/^#\//, '').split('/');
  return resolve(
    document,
    steps.reduce<Json>((at, step) => asObject(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')] ?? {}, document),
  );
};

/** Returns the value if it is an object, otherwise an empty object. */
export const asObject = (value: Json | undefined): Schema =>
  value !== null && typeof value === 'object' && !isList(value) ? value : {};
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const list = (value: Json | undefined): readonly Json[] => (value === undefined ? [] : isList(value) ? value : [value]);
const text = (value: Json | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Types and enumerated values. A reader must expect new values of an `enum`, but no other type. */
const values = (side: Side, { place, before, after }: Pair): string[] => {
  const typesOf = ({ type }: Schema) => list(type).map(text);
  const [wide, narrow] = side === 'sent' ? [after, before] : [before, after];
  const covers = (types: readonly string[], type: string) =>
    types.includes(type) || (type === '"integer"' && types.includes('"number"'));
  const typesFit =
    typesOf(wide).length === 0 ||
    (typesOf(narrow).length > 0 && typesOf(narrow).every((type) => covers(typesOf(wide), type)));
  const named = ({ enum: some, const: one }: Schema) => (one === undefined ? some : [one]);
  const was = named(before);
  const is = named(after);
  const lost = list(was).filter((value) => !list(is).some((other) => text(other) === text(value)));
  const valuesFit =
    side === 'sent'
      ? is === undefined || (was !== undefined && lost.length === 0)
      : was === undefined || is !== undefined;
  const constFits = side === 'sent' || before.const === undefined || text(before.const) === text(after.const);
  return [
    ...(typesFit ? [] : [`${place}: its type was ${text(before.type)} and is ${text(after.type)}`]),
    ...(valuesFit && constFits ? [] : [`${place}: its values were ${text(was)} and are ${text(is)}`]),
  ];
};

const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const patterns = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'not', 'propertyNames', 'contentEncoding'];

/** Limits: those on sent values may only become looser, those on received values only tighter. */
const bounds = (side: Side, { place, before, after }: Pair): string[] => {
  const [loose, tight] = side === 'sent' ? [after, before] : [before, after];
  const outside = (keyword: string, isBeyond: (tight: number, loose: number) => boolean): boolean =>
    loose[keyword] !== undefined &&
    (tight[keyword] === undefined || isBeyond(Number(tight[keyword]), Number(loose[keyword])));
  const broken = [
    ...upper.filter((keyword) => outside(keyword, (is, limit) => is > limit)),
    ...lower.filter((keyword) => outside(keyword, (is, limit) => is < limit)),
    ...patterns.filter((keyword) => loose[keyword] !== undefined && text(loose[keyword]) !== text(tight[keyword])),
  ];
  return broken.map((keyword) => `${place}: ${keyword} was ${text(before[keyword])} and is ${text(after[keyword])}`);
};

/** The fields that a value may have: one that is refused may as well be absent. */
const fitted = ({ properties }: Schema) =>
  Object.fromEntries(Object.entries(asObject(properties)).filter(([, field]) => text(field) !== '{"not":{}}'));

/** Fields: none may disappear, become required of callers, or become optional for readers. */
const properties = (side: Side, { place, before, after }: Pair, compare: Compare): string[] => {
  const was = fitted(before);
  const is = fitted(after);
  const required = (schema: Schema, name: string) => list(schema.required).includes(name);
  return [...new Set([...Object.keys(was), ...Object.keys(is), ...list(after.required).map(String)])].flatMap(
    (name) => {
      const field = `${place}.${name}`;
      const wasRequired = required(before, name);
      const isRequired = required(after, name);
      if (was[name] !== undefined && is[name] === undefined) return [`${field}: it is gone`];
      if (side === 'sent' && isRequired && !wasRequired) return [`${field}: it is required`];
      if (side === 'received' && wasRequired && !isRequired) return [`${field}: it is optional`];
      return was[name] === undefined ? [] : compare(side, { place: field, before: was[name], after: is[name] });
    },
  );
};

/** The one value of a schema's member `type`, by which a reader tells alternatives such as events apart. */
const typeIn =
  (document: Json): TypeOf =>
  (schema) =>
    text(resolve(document, asObject(resolve(document, schema).properties).type).const);

/**
 * Elements, further fields, and alternatives: each that matters must have a matching one on the other side. A reader
 * must expect alternatives of a new `type`, such as new events.
 */
const nested = (
  side: Side,
  { place, before, after }: Pair,
  { compare, typeBefore, typeAfter }: { compare: Compare; typeBefore: TypeOf; typeAfter: TypeOf },
): string[] => {
  const found: string[] = [];
  if (before.items !== undefined || after.items !== undefined)
    found.push(...compare(side, { place: `${place}[]`, before: before.items, after: after.items }));
  const wasOpen = before.additionalProperties ?? true;
  const isOpen = after.additionalProperties ?? true;
  if (typeof wasOpen === 'object' && typeof isOpen === 'object')
    found.push(...compare(side, { place: `${place}.*`, before: wasOpen, after: isOpen }));
  else if (isOpen !== true && text(wasOpen) !== text(isOpen)) found.push(`${place}: it takes no further fields`);
  const variants = (schema: Schema) => list(schema.anyOf ?? schema.oneOf ?? schema);
  const hasVariants = [before, after].some((schema) => schema.anyOf !== undefined || schema.oneOf !== undefined);
  if (!hasVariants) return found;
  const [narrow, wide] = side === 'sent' ? [before, after] : [after, before];
  const fits = (one: Json, other: Json) =>
    compare(side, side === 'sent' ? { place, before: one, after: other } : { place, before: other, after: one })
      .length === 0;
  const typesBefore = new Set(variants(before).map(typeBefore));
  const isOfNewType = (one: Json): boolean =>
    side === 'received' &&
    !typesBefore.has('nothing') &&
    typeAfter(one) !== 'nothing' &&
    !typesBefore.has(typeAfter(one));
  const lost = variants(narrow).filter(
    (one) => !isOfNewType(one) && !variants(wide).some((other) => text(one) === text(other) || fits(one, other)),
  );
  return [...found, ...lost.map((one) => `${place}: an alternative has no counterpart: ${text(one).slice(0, 120)}`)];
};

const compared = new Set([
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'anyOf',
  'oneOf',
  '$ref',
  ...upper,
  ...lower,
  ...patterns,
  // Only people read these.
  'title',
  'description',
  'example',
  'examples',
  'deprecated',
  '$comment',
  'discriminator',
]);

/** An unknown keyword breaks when it changes. */
const others = ({ place, before, after }: Pair): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((keyword) => !compared.has(keyword) && text(before[keyword]) !== text(after[keyword]))
    .map((keyword) => `${place}: ${keyword} was ${text(before[keyword])} and is ${text(after[keyword])}`);
