/** Reports of bots and posts to the operator. A report hides nothing by itself. */
import * as z from 'zod';
import { omissible, text } from './field.ts';
import { limits } from './limits.ts';
import { newPost } from './post.ts';

/**
 * Why a bot is reported. `correction`: the entry is wrong. `my-own`: its author wants it changed or removed. Clients
 * must expect new values.
 */
export const reportReasons = [
  'spam',
  'malware',
  'illegal',
  'impersonation',
  'broken',
  'correction',
  'my-own',
  'other',
] as const;
export type ReportReason = (typeof reportReasons)[number];

/** A report of a bot. */
export const newReport = z.object({
  reason: z.enum(reportReasons).describe('What is wrong.'),
  text: omissible(
    z
      .string()
      .max(limits.reportLength)
      .meta({ description: 'More details for the operator.', examples: ['It asks for a password.'] }),
  ),
});
export type NewReport = z.infer<typeof newReport>;

/** A report that was sent to the operator. It cannot be read back. */
export const report = z
  .object({
    id: text('Report id, of the form rep_<ULID>.', 'rep_01M7YAV3PXPR9JYQYS5FWGY2KM'),
    slug: text('The bot reported.', 'weekly-seo-report'),
  })
  .meta({ id: 'Report', description: 'A report that was sent to the operator.' });
export type Report = z.infer<typeof report>;

/** A report of a showcase post. */
export const newPostReport = newReport.extend({ url: newPost.shape.url });
export type NewPostReport = z.infer<typeof newPostReport>;
