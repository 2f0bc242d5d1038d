/**
 * The operator's commands for the whole store. An import and a rebuild are many steps: the audit log gets its line with
 * the last of an import and before the first of a rebuild. An export is recorded because of what it takes away.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StoreUnreachable } from '../base/failure.ts';
import { checkStore } from '../store/backup/check.ts';
import { readRecords } from '../store/backup/read-records.ts';
import { rebuildStore } from '../store/backup/rebuild.ts';
import { BackupError, backupLines, linesOf, parseBackup, type BackupRecord } from '../store/backup/records.ts';
import { writeRecords } from '../store/backup/write-records.ts';
import { keys } from '../store/keys.ts';
import { isLoss } from '../redis/known.ts';
import type { ModerationStore, Operator } from '../store/moderation/moderation-store.ts';
import { waitForStore, type Store } from '../redis/redis.ts';
import { checkCategories } from './category-commands.ts';
import { CommandError, showResult, showRows, type Terminal } from './terminal.ts';

type Deps = {
  readonly store: Store;
  readonly moderation: ModerationStore;
  readonly operator: Operator;
  readonly terminal: Terminal;
};

/** How long to wait for a new connection: the client leaves a replica that refuses a write. */
const reconnectMs = 5_000;

/** A backup begins again if the directory changed while it was written. The last attempt counts in any case. */
const attempts = 3;
/**
 * The names of backups sort by time. An unfinished one is `.partial`. One of a directory that has lost something is
 * `.smaller`, so that the newest `.ndjson` is one to restore.
 */
const backupName = /^bot-directory-[\d-]{10}T[\d-]{8}\.\d{3}Z\.ndjson(\.partial|\.smaller)?$/;

/** The exit code of a backup that is there and whole, next to one that is larger, or is dated later. */
const doubtful = 3;

type Keys = { readonly withKeys?: boolean };
type BackingUp = Keys & { readonly keep: number };
type Importing = Keys & { readonly resume?: boolean };

export const backupCommands = ({ store, moderation, operator, terminal }: Deps) => ({
  export: async ({ file, withKeys = false }: { readonly file?: string } & Keys): Promise<void> => {
    if (file === undefined && process.stdout.isTTY)
      throw new CommandError('Name a file with --file, or redirect the output: a terminal would damage a backup.');
    const output = file === undefined ? process.stdout : await createFile(file);
    await recordExport({ store, moderation, operator, terminal }, withKeys ? 'export-with-keys' : 'export');
    if ((await moderation.size()).has === 0) terminal.warn('The store is empty: this export has no bot and no post.');
    const count = await writeBackup({ store, terminal }, withKeys, file, output);
    if (file !== undefined) showResult(terminal, { file, records: count }, `Wrote ${count} records to ${file}.`);
  },

  backup: (folder: string, options: BackingUp): Promise<void> =>
    makeBackup({ store, moderation, operator, terminal }, folder, options),

  import: (path: string, options: Importing = {}): Promise<void> =>
    importBackup({ store, moderation, operator, terminal }, path, options),

  check: async (): Promise<void> => {
    const findings = [...(await checkStore(store, terminal.progress)), ...(await checkCategories(store))];
    showRows(
      terminal,
      findings.map(({ what, derived }) => ({ finding: what, fix: derived ? 'rebuild' : 'by hand' })),
      'No problems found.',
    );
    if (findings.length > 0) terminal.fail(2);
  },

  rebuild: async (): Promise<void> => {
    await moderation.record(operator, 'rebuild');
    const counts = await rebuildStore(store, terminal.progress);
    const words = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    showResult(terminal, counts, `Rebuilt from ${words.join(', ')}.`);
  },
});

/** Makes a backup in a folder, verifies it, and then deletes old ones. */
const makeBackup = async (
  { store, moderation, operator, terminal }: Deps,
  folder: string,
  { keep, withKeys = false }: BackingUp,
): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `bot-directory-${new Date(await moderation.nowMs()).toISOString().replaceAll(':', '-')}.ndjson`;
  const partial = join(folder, `${name}.partial`);
  const versionNow = () => store.call((redis) => redis.hget(keys.state, 'version'));
  let isOneMoment = false;
  for (let left = attempts; left > 0 && !isOneMoment; left -= 1) {
    await rm(partial, { force: true });
    const output = await createFile(partial);
    if (left === attempts)
      await recordExport({ store, moderation, operator, terminal }, withKeys ? 'export-with-keys' : 'export');
    const before = await versionNow();
    await writeBackup({ store, terminal }, withKeys, partial, output);
    isOneMoment = before === (await versionNow());
  }
  const counts = await countRecords(partial);
  const others = await readOthers(terminal, folder);
  const larger = others.whole.find(({ entries }) => isLoss(entries, entriesOf(counts)));
  const file = join(folder, larger === undefined ? name : `${name}.smaller`);
  await rename(partial, file);
  const later = others.whole.filter((other) => other.name > name).map((other) => other.name);
  const isDoubtful = larger !== undefined || later.length > 0;
  if (!isDoubtful) await recordExport({ store, moderation, operator, terminal }, 'backup', counts.records);
  const deleted = isDoubtful ? [] : expired(others, name, keep);
  for (const one of deleted) await rm(join(folder, one));
  const result = { file, ...counts, one_moment: isOneMoment, deleted, larger: larger?.name ?? null, later };
  const meanwhile = isOneMoment ? '' : ' Bots or posts changed meanwhile; those changes may be missing.';
  showResult(terminal, result, `${file}: ${summary(counts)}.${meanwhile}`);
  if (larger !== undefined)
    terminal.warn(
      `It has ${entriesOf(counts)} bots and posts, and ${larger.name} has ${larger.entries}. Nothing was deleted. ` +
        'If the directory is meant to be smaller, move the older files to another folder.',
    );
  if (later.length > 0)
    terminal.warn(
      `By the store's clock, ${later.join(', ')} is of the future. Nothing was deleted. ` +
        'Move it to another folder: it would count as the newest.',
    );
  if (isDoubtful) terminal.fail(doubtful);
};

/** Records an export, or a backup that exits with 0. A store that takes no writes, as a replica, is exported too. */
const recordExport = async (
  { store, moderation, operator, terminal }: Deps,
  action: 'export' | 'export-with-keys' | 'backup',
  count = 0,
): Promise<void> => {
  try {
    await moderation.record(operator, action, count);
  } catch (error) {
    if (!(error instanceof StoreUnreachable)) throw error;
    terminal.warn(`This export is not in the audit log: ${error.message}`);
    await waitForStore(store, reconnectMs);
  }
};

/** Reads a whole backup as an import would, but writes nothing, and needs no store. Throws BackupError. */
export const verifyBackup = async (terminal: Terminal, file: string): Promise<void> => {
  const counts = await countRecords(file);
  showResult(terminal, { file, ...counts }, `${file} is whole: ${summary(counts)}.`);
};

const importBackup = async (
  { store, moderation, operator, terminal }: Deps,
  path: string,
  { resume = false, withKeys = false }: Importing,
): Promise<void> => {
  const input = readFrom(path);
  // A file that cannot be opened is reported before anything is written.
  if (input !== process.stdin) await once(input, 'open');
  const left = { keys: 0 };
  const records = parseBackup(linesOf(input));
  const count = await writeRecords(store, withKeys ? records : withoutKeys(records, left), {
    isPaused: !resume,
    onProgress: (done) => terminal.progress(`${done} records`),
    end: (written) => moderation.record(operator, 'import', written),
  }).finally(() => input.destroy());
  const isPaused = (await store.call((redis) => redis.exists(keys.paused))) === 1;
  const result = { records: count, deliveries: isPaused ? 'paused' : 'running', keys_left_out: left.keys };
  showResult(terminal, result, importSummary(result, resume));
};

/** The records without the signing key and the secrets and headers of webhooks. `left` counts what has some. */
async function* withoutKeys(
  records: AsyncIterable<BackupRecord>,
  left: { keys: number },
): AsyncGenerator<BackupRecord> {
  for await (const record of records) {
    const hasKey =
      record.type === 'signing-key' ||
      (record.type === 'webhook' && (record.secret !== null || record.headers !== null));
    if (hasKey) left.keys += 1;
    if (record.type === 'signing-key') continue;
    yield record.type === 'webhook' ? { ...record, secret: null, headers: null } : record;
  }
}

type Imported = { readonly records: number; readonly deliveries: string; readonly keys_left_out: number };

const importSummary = ({ records, deliveries, keys_left_out: left }: Imported, resume: boolean): string => {
  const why = resume ? 'as they were in the backup' : 'so that a copy sends nothing to the subscribers of the original';
  const isPaused = deliveries === 'paused';
  return [
    `Imported ${records} records.`,
    ...(left === 0
      ? []
      : [`Left out ${left} signing keys, and secrets and headers of webhooks; --with-keys takes them.`]),
    isPaused ? `Deliveries are paused, ${why}. To resume them:` : 'Deliveries are not paused.',
    ...(isPaused ? ['  bot-directory-admin deliveries resume'] : []),
  ].join('\n');
};

/** `-` is standard input. */
const readFrom = (path: string) => (path === '-' ? process.stdin : createReadStream(path));

type Counts = { readonly records: number; readonly types: Readonly<Record<string, number>> };

const countRecords = async (file: string): Promise<Counts> => {
  const types: Record<string, number> = {};
  let records = 0;
  for await (const { type } of parseBackup(linesOf(readFrom(file)))) {
    records += 1;
    types[type] = (types[type] ?? 0) + 1;
  }
  return { records, types };
};

/** How many bots and posts a backup has. */
const entriesOf = ({ types }: Counts): number => (types.bot ?? 0) + (types.post ?? 0);

/** The other files of a folder of backups, by name. `whole`: those to restore; `rest`: unfinished or smaller. */
type Others = {
  readonly whole: readonly { readonly name: string; readonly entries: number }[];
  readonly rest: readonly string[];
};

/** Reads all older backups of a folder, the newest first. One that is damaged is reported, and left alone. */
const readOthers = async (terminal: Terminal, folder: string): Promise<Others> => {
  const names = (await readdir(folder)).filter((name) => backupName.test(name)).sort();
  const whole: { name: string; entries: number }[] = [];
  for (const name of names.filter((one) => one.endsWith('.ndjson')).toReversed()) {
    try {
      whole.push({ name, entries: entriesOf(await countRecords(join(folder, name))) });
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      terminal.warn(`${name} is no whole backup, and does not count as one: ${error.message}.`);
    }
  }
  return { whole, rest: names.filter((one) => !one.endsWith('.ndjson')) };
};

const summary = ({ records, types }: Counts): string => {
  const parts = Object.entries(types).map(([type, count]) => `${type} ${count}`);
  return `${records} records (${parts.join(', ')})`;
};

/** Returns the names to delete after the `newest` backup: whole ones but the last `keep`, and others before those. */
const expired = ({ whole, rest }: Others, newest: string, keep: number): readonly string[] => {
  const names = whole.map(({ name }) => name);
  const oldest = names.slice(0, keep - 1).at(-1) ?? newest;
  return [...names.slice(keep - 1), ...rest.filter((name) => name < oldest)].sort();
};

/** Creates a file that only its owner may read. Fails if it exists, and leaves it alone. */
const createFile = async (path: string): Promise<Writable> => {
  const output = createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true });
  await once(output, 'open');
  return output;
};

/** Writes a backup, and returns the number of its records. A file that could not be finished is deleted. */
const writeBackup = async (
  { store, terminal }: Pick<Deps, 'store' | 'terminal'>,
  withKeys: boolean,
  file: string | undefined,
  output: Writable,
): Promise<number> => {
  let count = 0;
  const counted = async function* (lines: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const line of lines) {
      count += 1;
      yield line;
      if (count % 10_000 === 0) terminal.progress(`${count} records`);
    }
  };
  try {
    await pipeline(backupLines(readRecords(store, { withKeys })), counted, output, { end: file !== undefined });
  } catch (error) {
    if (file !== undefined) await rm(file, { force: true });
    throw error;
  }
  return count - 2;
};
