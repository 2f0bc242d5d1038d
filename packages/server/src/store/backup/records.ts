/**
 * A backup: NDJSON, with a header and then one record per line, every one of which is validated when it is read. It
 * holds what cannot be derived; indexes and counters are rebuilt on import. Records have a fixed order and sorted
 * fields, so equal directories have equal backups.
 */
import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';
import { parseSubscription } from '../../domain/subscription.ts';
import { storedHeaders } from '../../domain/webhook-headers.ts';
import { modelVersion } from '../admission/admit.ts';
import { partitions } from '../keys.ts';
import { toMap } from '../../redis/redis.ts';

/** The version of this format. Backups of older versions are read too: see `ofThisVersion`. */
const backupVersion = 3;

/** The first line. */
const backupHeader = z.object({
  format: z.literal('bot-directory-backup'),
  version: z.int().min(1).max(backupVersion),
  /** The version of the data model that it was made from. */
  model: z.int(),
});
type BackupHeader = z.infer<typeof backupHeader>;

/** A record of a backup is invalid, or the backup as a whole is. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const number = z.int().nonnegative();
const some = z.string().min(1);
const fields = z.record(z.string(), z.string());
/** Names and values in turn, as a stream keeps them. */
const entry = z.array(z.string()).refine((flat) => flat.length > 0 && flat.length % 2 === 0, 'is no entry of a log');
const streamId = z.string().regex(/^\d{1,16}-\d{1,16}$/);

/** Every other line. Numbers and positions are those of the store. */
const backupRecord = z.discriminatedUnion('type', [
  z.object({ type: z.literal('setting'), name: z.enum(['submissions', 'salt', 'paused']), value: z.string() }),
  z.object({ type: z.literal('signing-key'), value: z.string() }),
  z.object({ type: z.literal('block'), key: z.string(), value: z.string() }),
  z.object({
    type: z.literal('bot'),
    position: number,
    listed: z.boolean(),
    fields: fields.and(z.object({ id: some, slug: some, template_id: some })),
  }),
  z.object({ type: z.literal('post'), position: number, fields: fields.and(z.object({ id: some, status_id: some })) }),
  z.object({
    type: z.literal('report'),
    id: some,
    fields: fields.and(z.object({ bot: some, at: z.string().regex(/^\d{1,16}$/) })),
  }),
  /** `entry`: the event in the log. Backups of older versions have none for an event that was taken away. */
  z.object({
    type: z.literal('event'),
    number,
    id: some,
    entry: entry.refine((flat) => toMap(flat).has('bot'), 'names no bot').nullable(),
  }),
  z.object({
    type: z.literal('webhook'),
    partition: number.max(partitions.length - 1),
    id: some,
    url: z.url(),
    /** The number of the last event that it has. */
    cursor: number,
    stopped: z.boolean(),
    /** When it is retried (ms), if its last attempt failed. */
    waits_until: z.number().nullable(),
    /** Failures in a row and the category of the last one, as the store keeps them. */
    failures: z.string().nullable(),
    /** The events that it was not sent, as the store keeps them. */
    skipped: z.string().nullable(),
    /** Its own subscription, as the store keeps it, without its topics. */
    subscription: z
      .string()
      .refine((text) => parseSubscription(text) !== undefined, 'is no subscription')
      .nullable(),
    secret: z.string().nullable(),
    /** Its owner's headers, as the store keeps them. */
    headers: z
      .string()
      .refine((text) => storedHeaders(text) !== undefined, 'are no headers')
      .nullable(),
  }),
  z.object({ type: z.literal('audit'), id: streamId, entry }),
  /** The last line: how many records came before it, and a checksum of all lines. A backup without it was cut off. */
  z.object({
    type: z.literal('end'),
    records: number,
    sha256: z
      .string()
      .regex(/^[\da-f]{64}$/)
      .optional(),
  }),
]);
type AnyRecord = z.infer<typeof backupRecord>;
export type BackupRecord = Exclude<AnyRecord, { type: 'end' }>;

/** A record of one type. */
export type RecordOf<T extends BackupRecord['type']> = Extract<BackupRecord, { type: T }>;

/**
 * A record as this version has it. Version 2 had an event's whole envelope, and another name for a subscription;
 * version 1 had neither subscriptions nor checksums.
 */
const ofThisVersion = (record: unknown, number: number): unknown => {
  if (typeof record !== 'object' || record === null) return record;
  const { interest = null, ...rest } = record as Readonly<Record<string, unknown>>;
  if (rest.type === 'webhook') return { skipped: null, headers: null, ...rest, subscription: interest };
  if (rest.type !== 'event' || !Array.isArray(rest.entry)) return record;
  const fields = toMap(rest.entry as string[]);
  const { data } = parseJson(fields.get('body') ?? '', number) as {
    readonly data: { readonly [name: string]: unknown };
  };
  const named = ['id', 'type', 'at'].flatMap((name) => [name, fields.get(name)]);
  const reason = typeof data.reason === 'string' ? ['reason', data.reason] : [];
  return { ...rest, entry: [...named, 'bot', data.id, ...reason] };
};

/** A hash with sorted fields: Redis returns those of a large one in no particular order. */
export const sortedFields = (hash: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(hash).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The lines of a backup, each with its line break: its header, the records, and an end that says what came before. */
export async function* backupLines(records: AsyncIterable<BackupRecord>): AsyncGenerator<string> {
  const header: BackupHeader = { format: 'bot-directory-backup', version: backupVersion, model: modelVersion };
  const sum = createHash('sha256');
  const summed = (value: object): string => {
    const line = `${JSON.stringify(value)}\n`;
    sum.update(line);
    return line;
  };
  yield summed(header);
  let count = 0;
  for await (const record of records) {
    count += 1;
    yield summed(record);
  }
  yield `${JSON.stringify({ type: 'end', records: count, sha256: sum.digest('hex') })}\n`;
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
  let number = 0;
  let version = 0;
  let isComplete = false;
  for await (const line of lines) {
    number += 1;
    if (isComplete) throw new BackupError(`line ${number} comes after the end`);
    if (number === 1) version = versionOf(line);
    const record = number === 1 ? undefined : parseRecord(line, number, version);
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

const parseRecord = (line: string, number: number, version: number) => {
  const parsed = parseJson(line, number);
  const record = backupRecord.safeParse(version < backupVersion ? ofThisVersion(parsed, number) : parsed);
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
