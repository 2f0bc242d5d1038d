/**
 * The arguments of a tool, which programs write that guess: read and refused by the rules of the API. What is only
 * written in another way is read.
 */
import type * as z from 'zod';
import { foreignBotNames, type FieldError } from '@bot-directory/contract';
import { bodyErrors, invalidInput, withoutNulls } from './input.ts';

type Sent = Readonly<Record<string, unknown>>;

/** Reads arguments. Failure: invalid_request, which names every refused one. */
export const readArguments = <Input extends z.ZodObject>(input: Input, sent: unknown): z.output<Input> => {
  const names = Object.keys(input.shape);
  const values = withoutNulls(sent ?? {}) as Sent;
  const [known, unknown] = partition(Object.entries(values), ([name]) => names.includes(name));
  const parsed = input.safeParse(Object.fromEntries(known));
  const texts = parsed.error?.issues.flatMap(({ path: [name] }) => (typeof name === 'string' ? [name] : [])) ?? [];
  const again = parsed.success
    ? parsed
    : input.safeParse(
        Object.fromEntries(known.map(([name, value]) => [name, texts.includes(name) ? meant(value) : value])),
      );
  const errors: FieldError[] = [
    ...unknown.map(([name]) => ({
      pointer: `/${name}`,
      detail: `is not an argument of this tool; ${hint(name, names)}`,
    })),
    ...bodyErrors(again.error?.issues ?? []),
  ];
  if (errors.length > 0 || !again.success) throw invalidInput(errors);
  return again.data;
};

/** The value that a refused text stands for: what its JSON says, or else the only entry of a list. */
const meant = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value.includes(',') ? value : [value];
  }
};

const partition = <T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((one) => !isFirst(one)),
];

/** Says what to send instead: the same name in another spelling or number, or ours for what other services call so. */
const hint = (sent: string, names: readonly string[]): string => {
  const like = (words: readonly string[]): string[] =>
    names.filter((name) => words.some((word) => stemOf(word) === stemOf(name)));
  const ours = foreignBotNames.get(lettersOf(sent))?.match(/[a-z_]+/g) ?? [];
  const found = like([sent]).concat(like(ours));
  if (names.length === 0) return 'it takes none';
  return found.length > 0 ? `use ${named(found.slice(0, 2))}` : `it takes ${named(names)}`;
};

const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');
const stemOf = (name: string): string => lettersOf(name).replace(/ies$/, 'y').replace(/s$/, '');

/** The schema as it is shown to programs that would check by it, with other words, what `readArguments` reads. */
export const unchecked = ({ '~standard': standard }: z.ZodObject) => ({
  '~standard': { ...standard, validate: (value: unknown) => ({ value }) },
});
