/**
 * A backup: NDJSON, with a header and then one record per line. It holds what cannot be derived; indexes and counters
 * are rebuilt on import. Records have a fixed order and sorted fields, so equal directories have equal backups.
 */
import * as z from 'zod';
import { parseInterest } from '../../domain/interest.ts';
import { partitions } from '../keys.ts';

/** The version of this format. Backups of older versions are read too; those of version 1 have no checksum. */
export const backupVersion = 2;

/** The first line. */
export const backupHeader = z.object({
  format: z.literal('bot-directory-backup'),
  version: z.int().min(1).max(backupVersion),
  /** The version of the data model that it was made from. */
  model: z.int(),
});
export type BackupHeader = z.infer<typeof backupHeader>;

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
export const backupRecord = z.discriminatedUnion('type', [
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
  /** `entry`: the event in the log, unless it was withdrawn. `withheld`: webhooks are not sent it. */
  z.object({
    type: z.literal('event'),
    number,
    id: some,
    withheld: z.boolean(),
    entry: entry.nullable(),
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
    /** The events that it was not sent, as the store keeps them. Backups of older versions have none. */
    skipped: z.string().nullable().default(null),
    /** Its own interest, as the store keeps it, without its topics. Backups of older versions have none. */
    interest: z
      .string()
      .refine((text) => parseInterest(text) !== undefined, 'is no interest')
      .nullable()
      .default(null),
    secret: z.string().nullable(),
  }),
  z.object({ type: z.literal('audit'), id: streamId, entry }),
  /** The last line: how many records came before it, and a checksum of all lines. A backup without one was cut off. */
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

/** A hash with sorted fields: Redis returns those of a large one in no particular order. */
export const sortedFields = (hash: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(hash).sort(([a], [b]) => (a < b ? -1 : 1)));
