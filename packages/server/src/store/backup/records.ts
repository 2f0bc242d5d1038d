/**
 * A backup: NDJSON, with a header and then one record per line. It holds what cannot be derived; indexes and counters
 * are rebuilt on import. Records have a fixed order and sorted fields, so equal directories have equal backups.
 */
import * as z from 'zod';

/** The version of this format. A backup with another version is refused. */
export const backupVersion = 1;

/** The first line. */
export const backupHeader = z.object({
  format: z.literal('bot-directory-backup'),
  version: z.literal(backupVersion),
  /** The version of the data model that it was made from. */
  model: z.int(),
});
export type BackupHeader = z.infer<typeof backupHeader>;

const fields = z.record(z.string(), z.string());
const number = z.int().nonnegative();

/** Every other line. Numbers and positions are those of the store. */
export const backupRecord = z.discriminatedUnion('type', [
  z.object({ type: z.literal('setting'), name: z.enum(['submissions', 'salt', 'paused']), value: z.string() }),
  z.object({ type: z.literal('signing-key'), value: z.string() }),
  z.object({ type: z.literal('block'), key: z.string(), value: z.string() }),
  z.object({ type: z.literal('bot'), position: number, listed: z.boolean(), fields }),
  z.object({ type: z.literal('post'), position: number, fields }),
  z.object({ type: z.literal('report'), id: z.string(), fields }),
  /** `entry`: the event in the log, unless it was withdrawn. `withheld`: webhooks are not sent it. */
  z.object({
    type: z.literal('event'),
    number,
    id: z.string(),
    withheld: z.boolean(),
    entry: z.array(z.string()).nullable(),
  }),
  z.object({
    type: z.literal('webhook'),
    partition: number,
    id: z.string(),
    url: z.string(),
    /** The number of the last event that it has. */
    cursor: number,
    stopped: z.boolean(),
    /** When it is retried (ms), if its last attempt failed. */
    waits_until: z.number().nullable(),
    /** Failures in a row and the category of the last one, as the store keeps them. */
    failures: z.string().nullable(),
    secret: z.string().nullable(),
  }),
  z.object({ type: z.literal('audit'), id: z.string(), entry: z.array(z.string()) }),
]);
export type BackupRecord = z.infer<typeof backupRecord>;

/** A record of one type. */
export type RecordOf<T extends BackupRecord['type']> = Extract<BackupRecord, { type: T }>;

/** A hash with sorted fields: Redis returns those of a large one in no particular order. */
export const sortedFields = (hash: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(hash).sort(([a], [b]) => (a < b ? -1 : 1)));
