/**
 * What operations take: the contract's request bodies, refined by this server's rules. Each field is read into its
 * canonical form, and all refused fields are reported at once.
 */
import * as z from 'zod';
import { limits, type FieldError } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Parsed } from '../base/parsed.ts';
import type { Network } from '../domain/ip-address.ts';
import type { SocialHosts } from '../domain/links.ts';
import { firstWritten, parseWritten } from '../domain/names.ts';

export type InputRules = {
  readonly template: { readonly host: string };
  readonly social: SocialHosts;
  readonly categories: readonly string[];
  readonly webhook: { readonly allowedNetworks: readonly Network[] };
};

/** What an operation knows of a request besides its input. `client`: its network. `slug`: that of the path. */
export type RequestContext = { readonly client: string; readonly slug?: string | undefined };

/**
 * An operation, by its name in the contract: the rules of its input, which is a body or a query, and what it does with
 * canonical values. Without a slug in the path, `slug` is empty.
 */
export type Operation<Input extends z.ZodType, Deps, Result> = {
  readonly input: (rules: InputRules) => Input;
  /** Fields of which `null` means the default. Of all others it means that they are absent. */
  readonly resettable?: readonly string[];
  readonly run: (deps: Deps, input: z.output<Input>, context: { client: string; slug: string }) => Promise<Result>;
};

/** Types an operation by its parts. */
export const operation = <Input extends z.ZodType, Deps, Result>(
  parts: Operation<Input, Deps, Result>,
): Operation<Input, Deps, Result> => parts;

/** A body of the contract with every field refined: one that is missing, here or there, does not compile. */
export const refined = <Body extends z.ZodObject, Fields extends { readonly [Name in keyof Body['shape']]: z.ZodType }>(
  _body: Body,
  fields: Fields & { readonly [Name in Exclude<keyof Fields, keyof Body['shape']>]: never },
) => z.object<Fields>(fields);

/** The refused fields of a body. */
export const bodyErrors = (issues: readonly Issue[]): FieldError[] =>
  issues.map(({ path = [], message }) => ({
    pointer: path.map((step) => `/${escapePointer(String(step))}`).join(''),
    detail: message,
  }));

/** The refused parameters of a query. */
export const queryErrors = (issues: readonly Issue[]): FieldError[] =>
  issues.map(({ path = [], message }) => ({ pointer: `?${String(path[0])}`, detail: message }));

/** Checks an input. What is wrong is said in our words, unless a rule has words of its own. */
export const check = <Input extends z.ZodType>(input: Input, sent: unknown): z.ZodSafeParseResult<z.output<Input>> =>
  input.safeParse(sent, { error: inWords });

/** What is wrong with a value, as its sender may show it to a user. */
const inWords = (issue: z.core.$ZodRawIssue): string => {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? 'of another kind'}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${bound('at least', Number(issue.minimum), issue.origin)}`;
    case 'too_big':
      return `must ${bound('at most', Number(issue.maximum), issue.origin)}`;
    default:
      return 'is not valid';
  }
};

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const units: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

const bound = (which: string, limit: number, origin: string): string => {
  const unit = units[origin]?.[limit === 1 ? 0 : 1];
  return unit === undefined ? `be ${which} ${limit}` : `have ${which} ${limit} ${unit}`;
};

/** The failure for an invalid body or query. It names the first few errors and counts the rest. */
export const invalidInput = (errors: readonly FieldError[]): Failure => {
  const rest = errors.length - limits.errorsNamed;
  const named = rest > 0 ? `lists the first ${limits.errorsNamed}, and there are ${rest} more` : 'lists each one';
  return new Failure('invalid_request', `A field or parameter is missing or not valid; \`errors\` ${named}.`, {
    errors: errors.slice(0, limits.errorsNamed),
  });
};

/** What saving needs, or the failure that says that it is not configured. */
export const configured = <T>(deps: T | undefined): T => {
  if (deps === undefined)
    throw new Failure('saving_not_configured', 'This service runs without a store, so nothing can be saved.');
  return deps;
};

/** `null` for a field that is not `resettable` means that it is absent, as in a Bot that was read and is sent again. */
export const withoutNulls = (sent: unknown, resettable: readonly string[] = []): unknown =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent)
    ? Object.fromEntries(Object.entries(sent).filter(([name, value]) => value !== null || resettable.includes(name)))
    : sent;

/** An issue as any schema library reports it (Standard Schema). */
export type Issue = { readonly message: string; readonly path?: readonly unknown[] | undefined };

/** A text that is parsed into its canonical form. */
export const reading = <T>(schema: z.ZodType<string, string>, parse: (raw: string) => Parsed<T>) =>
  schema.transform((raw, context): T => {
    const result = parse(raw);
    if (result.ok) return result.value;
    context.addIssue({ code: 'custom', message: result.why });
    return z.NEVER;
  });

/** The values without repetitions. */
const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The schema of an array. The length is checked before the entries, so that an array of thousands yields one error. */
export const arrayOf = <T>(entry: z.ZodType<T, string>) =>
  z.array(z.unknown()).max(limits.arrayEntries, tooMany(limits.arrayEntries)).pipe(z.array(entry));

/** Names of integrations, as they are written. */
export const writtenIntegrations = () => arrayOf(reading(z.string(), parseWritten)).transform(firstWritten);

/** The words of a refusal. */
export const tooMany = (most: number): string => `must have at most ${most} entries`;

/** Limits an array to `most` different values. */
export const atMost = <T>(most: number, schema: z.ZodType<T[], unknown[]>) =>
  schema.transform(unique).refine((values) => values.length <= most, tooMany(most));

const escapePointer = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
