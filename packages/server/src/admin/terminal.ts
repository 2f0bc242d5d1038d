/** The operator's terminal: tables for people, JSON for programs, and questions before large changes. */
import { createInterface } from 'node:readline/promises';
import Table from 'cli-table3';
import type { Parsed } from '../base/parsed.ts';
import { displayText } from '../domain/display-text.ts';

/** A command cannot be carried out; the message says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Returns the value. Throws CommandError if it was refused. */
export const valid = <T>(parsed: Parsed<T>): T => {
  if (!parsed.ok) throw new CommandError(parsed.why);
  return parsed.value;
};

/**
 * How a command communicates. `json`: machine-readable output. `yes`: ask nothing. `warn`: on standard error. `fail`:
 * sets the exit code.
 */
export type Terminal = {
  readonly json: boolean;
  readonly yes: boolean;
  readonly out: (text: string) => void;
  readonly progress: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly fail: (exitCode: number) => void;
};

/** A value that a table can show. */
export type Cell = string | number | boolean | null | readonly string[];

type Row = Readonly<Record<string, Cell>>;

/** Prints rows: an array of objects as JSON, a table for people, or `empty` if there are none. */
export const showRows = ({ json, out }: Terminal, rows: readonly Row[], empty: string): void => {
  if (json) return out(JSON.stringify(rows, null, 2));
  const [first] = rows;
  if (first === undefined) return out(empty);
  const names = Object.keys(first);
  const table = new Table({ head: names, style: { head: [], border: [] }, wordWrap: true });
  for (const row of rows) table.push(names.map((name) => printable(row[name] ?? '')));
  out(table.toString());
};

/** How much of a list is shown. */
export type Shown = { readonly limit: number; readonly all?: boolean | undefined };

/** Prints a list, and says on standard error if there is more of it, which is not read. */
export const showList = async (
  terminal: Terminal,
  rows: AsyncIterable<Row> | Iterable<Row>,
  { limit, all = false, empty }: Shown & { readonly empty: string },
): Promise<void> => {
  const shown: Row[] = [];
  let isCut = false;
  for await (const row of rows) {
    isCut = !all && shown.length === limit;
    if (isCut) break;
    shown.push(row);
  }
  showRows(terminal, shown, empty);
  if (isCut) terminal.warn(`There are more than these ${limit}: --all shows every one, --limit as many as you say.`);
};

/** Prints what was done: an object as JSON, a sentence for people. */
export const showResult = ({ json, out }: Terminal, result: object, sentence: string): void =>
  out(json ? JSON.stringify(result, null, 2) : sentence);

/** Asks for confirmation. Throws CommandError if it is refused, or if there is no terminal. */
export const confirm = async ({ yes }: Terminal, question: string): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY) throw new CommandError(`${question} Confirm with --yes.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${question} [y/N] `);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
};

/** Changing more bots, posts or webhooks than this needs a confirmation. */
export const unasked = 20;

/** Slugs, or how many there are. */
export const summary = (slugs: readonly string[]): string =>
  slugs.length <= unasked ? slugs.join(', ') : `${slugs.length} bots`;

/** The beginning of a client's mark, which is enough to select by. */
export const markShown = (client: string): string => client.slice(0, 8);

/** Whether a mark is that of one of these clients, each given by the beginning of its mark; or of any. */
export const isBy = (clients: readonly string[] | undefined, mark: string): boolean =>
  clients === undefined || (mark !== '' && clients.some((beginning) => mark.startsWith(beginning)));

/** What was done to bots or posts. */
export const past = { hide: 'Hidden:', remove: 'Removed:', restore: 'Listed:' } as const;

const reasonLength = 500;

/** A reason, as it is stored. */
export const reasonFrom = (raw: string): string => displayText(raw, reasonLength);

/** A time as people and programs read it. */
export const instant = (ms: number): string => new Date(ms).toISOString();

/** An instant, or an age by the store's clock. */
export type Time = { readonly atMs: number } | { readonly agoMs: number };

/** A time by the store's clock. */
export const toMs = (time: Time, nowMs: number): number => ('atMs' in time ? time.atMs : nowMs - time.agoMs);

/** Outside text must not control the terminal. */
const printable = (value: Cell): string => String(value).replace(/\p{Cc}/gu, ' ');
