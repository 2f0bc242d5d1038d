/**
 * The operator's commands for the whole store. An import and a rebuild are many steps: the audit log gets its line with
 * the last of an import and before the first of a rebuild. An export is recorded because of what it takes away.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StoreUnreachable } from '../base/failure.ts';
import { backupLines, linesOf, parseBackup } from '../store/backup/backup.ts';
import { checkStore } from '../store/backup/check.ts';
import type { Finding } from '../store/backup/findings.ts';
import { rebuildStore } from '../store/backup/rebuild.ts';
import { writeRecords } from '../store/backup/write-records.ts';
import type { ModerationStore, Operator } from '../store/moderation-store.ts';
import { waitForStore, type Store } from '../store/redis.ts';
import { showResult, showRows, type Terminal } from './terminal.ts';

type Deps = {
  readonly store: Store;
  readonly moderation: ModerationStore;
  readonly operator: Operator;
  readonly terminal: Terminal;
};

/** A replica is left when it refuses a write. */
const reconnectMs = 5_000;

/** The commands. */
export const backupCommands = ({ store, moderation, operator, terminal }: Deps) => ({
  export: async ({
    file,
    withKeys = false,
  }: {
    readonly file?: string;
    readonly withKeys?: boolean;
  }): Promise<void> => {
    const output: Writable =
      file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600, flags: 'wx' });
    // A file that was there before is refused here, and stays.
    if (file !== undefined) await once(output, 'open');
    await recordExport({ store, moderation, operator, terminal }, withKeys);
    let count = 0;
    const counted = async function* (lines: AsyncIterable<string>): AsyncGenerator<string> {
      for await (const line of lines) {
        count += 1;
        yield line;
        if (count % 10_000 === 0) terminal.progress(`${count} records`);
      }
    };
    try {
      await pipeline(backupLines(store, { withKeys }), counted, output, { end: file !== undefined });
    } catch (error) {
      // What was written is no backup.
      if (file !== undefined) await rm(file, { force: true });
      throw error;
    }
    if (file === undefined) return;
    showResult(terminal, { file, records: count - 2 }, `Wrote ${count - 2} records to ${file}.`);
  },

  import: async (path: string): Promise<void> => {
    const input = path === '-' ? process.stdin : createReadStream(path);
    // A file that cannot be opened is reported before anything is written.
    if (input !== process.stdin) await once(input, 'open');
    const count = await writeRecords(store, parseBackup(linesOf(input)), {
      onProgress: (done) => terminal.progress(`${done} records`),
      end: (records) => moderation.record(operator, 'import', records),
    }).finally(() => input.destroy());
    showResult(terminal, { records: count }, `Imported ${count} records.`);
  },

  check: async (): Promise<void> => {
    const findings: Finding[] = [];
    for await (const finding of checkStore(store, terminal.progress)) findings.push(finding);
    showRows(
      terminal,
      findings.map(({ what, derived }) => ({ finding: what, mend: derived ? 'rebuild' : 'by hand' })),
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

/** A store that takes no writes, such as a full one or a replica, is exported all the same. */
const recordExport = async ({ store, moderation, operator, terminal }: Deps, withKeys: boolean): Promise<void> => {
  try {
    await moderation.record(operator, withKeys ? 'export-with-keys' : 'export');
  } catch (error) {
    if (!(error instanceof StoreUnreachable)) throw error;
    terminal.warn(`This export is not in the audit log: ${error.message}`);
    await waitForStore(store, reconnectMs);
  }
};
