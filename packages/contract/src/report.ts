/** Reports: what a visitor tells the operator about a bot. A report hides nothing by itself. */
import * as z from 'zod';
import { limits } from './limits.ts';

/** Why a bot is reported. Clients must expect new values. */
export const reportReasons = ['spam', 'malware', 'illegal', 'impersonation', 'broken', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/** A report of a bot. */
export const newReport = z.object({
  reason: z.enum(reportReasons).describe('What is wrong with the bot.'),
  text: z.string().max(limits.reportLength).optional().describe('What the operator should know, in words.'),
});
export type NewReport = z.infer<typeof newReport>;

/** A report that the operator will see. It can not be read back. */
export const report = z
  .object({ id: z.string().describe('Report id, shaped rep_<ULID>.'), slug: z.string().describe('The bot reported.') })
  .meta({ id: 'Report', description: 'A report that the operator will see.' });
export type Report = z.infer<typeof report>;
