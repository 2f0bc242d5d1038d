/**
 * The arguments of a tool, which programs write that guess: read and refused by the rules of the API. What is only
 * written in another way is read, and what a host adds for itself is ignored.
 */
import type * as z from 'zod';
import { foreignBotNames, lettersOf, type FieldError } from '@bot-directory/contract';
import { bodyErrors, check, invalidInput, withoutNulls } from '../operations/input.ts';
import { switchIssues } from '../operations/switches.ts';

type Sent = Readonly<Record<string, unknown>>;

/**
 * Reads arguments; an empty text is none. A tool that writes refuses what looks like a switch that prevents it.
 * Failure: invalid_request, which names every refused one.
 */
export const readArguments = <Input extends z.ZodObject>(
  input: Input,
  sent: unknown,
  isWrite: boolean,
): z.output<Input> => {
  const names = Object.keys(input.shape);
  const values = Object.entries(withoutNulls(sent ?? {}) as Sent).filter(([, value]) => value !== '');
  const fields = values.filter(([name]) => names.includes(name));
  const parsed = check(input, Object.fromEntries(fields.map(([name, value]) => [name, meant(input, name, value)])));
  const switches = isWrite ? switchIssues(Object.fromEntries(values), names) : [];
  const errors: FieldError[] = [
    ...values.flatMap(([name]) => {
      const isKnown = names.includes(name) || switches.some(({ path }) => path.includes(name));
      const hint = isKnown ? undefined : hintFor(name, names);
      return hint === undefined ? [] : [{ pointer: `/${name}`, detail: `is not an argument of this tool; ${hint}` }];
    }),
    ...bodyErrors([...switches, ...(parsed.error?.issues ?? [])]),
  ];
  if (errors.length > 0 || !parsed.success) throw invalidInput(errors);
  return parsed.data;
};

/** The value that a text stands for, if the field takes no text: what its JSON says, or the only entry of a list. */
const meant = ({ shape }: z.ZodObject, name: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const said = json(value);
  const readings = [value, ...said, ...(value.includes(',') ? [] : [[value]])];
  return readings.find((one) => (shape[name] as z.ZodType).safeParse(one).success) ?? said[0] ?? value;
};

/** What a text says as JSON, if it is that. */
const json = (text: string): unknown[] => {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
};

/**
 * Says what to send instead of a name that can be taken for a filter or a field: one of the tool's in another spelling
 * or number, or what other services call one of the list's. Any other is of no concern to a tool.
 */
const hintFor = (sent: string, names: readonly string[]): string | undefined => {
  const like = (words: readonly string[]): string[] =>
    names.filter((name) => words.some((word) => stemOf(word) === stemOf(name)));
  const ours = foreignBotNames.get(lettersOf(sent));
  const found = new Set([...like([sent]), ...like(ours?.match(/[a-z_]+/g) ?? [])]);
  if (found.size > 0) return `use ${named([...found].slice(0, 2))}`;
  if (ours === undefined) return undefined;
  return names.length === 0 ? 'it takes none' : `it takes ${named(names)}`;
};

const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
const stemOf = (name: string): string => lettersOf(name).replace(/ies$/, 'y').replace(/s$/, '');

/** The schema as it is shown to programs that would check by it, with other words, what `readArguments` reads. */
export const unchecked = ({ '~standard': standard }: z.ZodObject) => ({
  '~standard': { ...standard, validate: (value: unknown) => ({ value }) },
});
