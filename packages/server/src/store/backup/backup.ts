/** Backups as lines of text: written from the store, and read back with every line validated. */
import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { modelVersion } from '../fit-store.ts';
import type { Store } from '../redis.ts';
import { readRecords } from './read-records.ts';
import {
  BackupError,
  backupHeader,
  backupRecord,
  backupVersion,
  type BackupHeader,
  type BackupRecord,
} from './records.ts';

/** The lines of a backup, each with its line break: its header, the records, and an end that says what came before. */
export async function* backupLines(store: Store, options: { readonly withKeys: boolean }): AsyncGenerator<string> {
  const header: BackupHeader = { format: 'bot-directory-backup', version: backupVersion, model: modelVersion };
  const sum = createHash('sha256');
  const summed = (value: object): string => {
    const line = `${JSON.stringify(value)}\n`;
    sum.update(line);
    return line;
  };
  yield summed(header);
  let records = 0;
  for await (const record of readRecords(store, options)) {
    records += 1;
    yield summed(record);
  }
  yield `${JSON.stringify({ type: 'end', records, sha256: sum.digest('hex') })}\n`;
}

/** The lines of a file or a pipe, without their line breaks, which a terminal or an editor may have made CRLF. */
export async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

/** The records of a backup's lines. Throws BackupError, which names the line. */
export async function* parseBackup(lines: AsyncIterable<string>): AsyncGenerator<BackupRecord> {
  const sum = createHash('sha256');
  let [number, version] = [0, 0];
  let isComplete = false;
  for await (const line of lines) {
    number += 1;
    if (isComplete) throw new BackupError(`line ${number} comes after the end`);
    if (number === 1) version = versionOf(line);
    const record = number === 1 ? undefined : parseRecord(line, number);
    if (record?.type !== 'end') {
      sum.update(`${line}\n`);
      if (record !== undefined) yield record;
      continue;
    }
    if (record.records !== number - 2)
      throw new BackupError(`line ${number}: it had ${record.records} records, and has ${number - 2}`);
    if (version > 1 && record.sha256 !== sum.digest('hex'))
      throw new BackupError('the backup was changed: its checksum is another');
    isComplete = true;
  }
  if (number === 0) throw new BackupError('the backup is empty');
  if (!isComplete) throw new BackupError(`the backup was cut off: it ends with line ${number}, without an end record`);
}

/** Checks a header, and returns the version of the format. Throws BackupError. */
const versionOf = (line: string): number => {
  if (line.includes('\0')) throw new BackupError('the backup is not UTF-8; PowerShell’s > writes UTF-16, for one');
  const header = backupHeader.safeParse(parseJson(line, 1));
  if (!header.success) throw new BackupError(`line 1 is not the header of a backup of version 1 to ${backupVersion}`);
  if (header.data.model > modelVersion) {
    throw new BackupError(`the backup has data model ${header.data.model}; this program knows up to ${modelVersion}`);
  }
  return header.data.version;
};

const parseRecord = (line: string, number: number) => {
  const record = backupRecord.safeParse(parseJson(line, number));
  if (record.success) return record.data;
  const [issue] = record.error.issues;
  throw new BackupError(`line ${number}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not a record'}`);
};

const parseJson = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw new BackupError(`line ${number} is not JSON`);
  }
};
