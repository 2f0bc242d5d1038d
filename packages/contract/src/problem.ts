/**
 * THE TABLE: every error of the service, by its stable code, and the RFC 9457 shape that they share. Server, OpenAPI
 * document and SDK derive from it; a new error is one row here.
 */
import * as z from 'zod';
import { deliveryFailures } from './delivery-failure.ts';
import { text } from './field.ts';
import { limits } from './limits.ts';
import { webhook } from './webhook.ts';

// What already exists, in the shape of a success: a client whose first response was lost can use the conflict instead.
// A webhook's id reveals nothing, and anyone who knows the URL may already read its status and remove it.
const bot = {
  slug: text('The slug of that bot.', 'weekly-seo-report'),
  url: text('Its path, of the form /bots/<slug>.', '/bots/weekly-seo-report'),
};

type Row = {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  readonly members?: Readonly<Record<string, z.ZodType>>;
};

/**
 * Code → status, title, meaning, what a client does then, and the members that its problem has in addition to those of
 * every problem. A code never changes its status or its meaning.
 */
export const problems = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    meaning: `A field or parameter is missing or not valid; \`errors\` lists each one, up to ${limits.errorsNamed}.`,
    remedy: 'Correct what `errors` names.',
  },
  unreadable_json: {
    status: 400,
    title: 'Unreadable JSON',
    meaning: 'The body is not JSON in UTF-8.',
    remedy: 'Send a JSON object in UTF-8.',
  },
  too_many_integrations: {
    status: 400,
    title: 'Too many integrations',
    meaning: `The bot would have more than ${limits.integrationsPerBot} integrations; nothing was added.`,
    remedy: 'Add fewer.',
  },
  webhook_ping_failed: {
    status: 400,
    title: 'Ping failed',
    meaning: 'The URL did not respond to the ping with a 2xx status; `reason` says why. Nothing was saved.',
    remedy: 'Repair the endpoint as `reason` says, then register it again.',
    members: {
      reason: z
        .enum(deliveryFailures)
        .optional()
        .meta({ description: `Why it failed: ${deliveryFailures.join(', ')}.`, examples: ['timeout'] }),
    },
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The request is not valid HTTP; the connection is closed.',
    remedy: 'Correct the request, and open another connection.',
  },
  submission_blocked: {
    status: 400,
    title: 'Submission blocked',
    meaning: 'The operator blocks this template, author, host or text.',
    remedy: 'Ask the operator: a retry gets the same.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is nothing at this path.',
    remedy: 'Compare the path with the list of operations.',
  },
  bot_not_found: {
    status: 404,
    title: 'Bot not found',
    meaning: 'No bot has this slug.',
    remedy: 'Stop showing it; one that is only hidden may come back.',
  },
  post_not_found: {
    status: 404,
    title: 'Post not found',
    meaning: 'The feed has no post of this status.',
    remedy: 'Compare the URL with those in the feed.',
  },
  template_not_found: {
    status: 404,
    title: 'Template not found',
    meaning: 'The template provider has no template at this link.',
    remedy: 'Check the link, and that the template is public.',
  },
  webhook_not_found: {
    status: 404,
    title: 'Webhook not found',
    meaning: 'No webhook is registered for this URL.',
    remedy: 'Register the URL, if it should get events.',
  },
  event_not_found: {
    status: 404,
    title: 'Event not found',
    meaning: 'The event log has no such event: it never existed, or is too old.',
    remedy: 'Read the list of bots again, then go on with the newest events.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not for this method; `Allow` lists its methods.',
    remedy: 'Use one of those methods.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request did not arrive in time; the connection is closed.',
    remedy: 'Send it again on another connection.',
  },
  bot_exists: {
    status: 409,
    title: 'Bot already in the directory',
    meaning: 'The template was submitted before, as `slug` at `url`.',
    remedy: 'Use `slug` and `url` as a success would have them.',
    members: {
      ...bot,
      // One schema describes all 409s of a submit, and a removed bot has none.
      created_at: text('When that bot was published (ISO 8601, UTC).', '2026-09-25T14:03:07.120Z').optional(),
      pending: z
        .boolean()
        .optional()
        .meta({ description: 'True while that bot waits for approval: it is not listed yet.', examples: [false] }),
    },
  },
  post_exists: {
    status: 409,
    title: 'Post already in the feed',
    meaning: 'A post with this status id is in the feed, as `id` at `url`.',
    remedy: 'Use `id` and `url` as a success would have them.',
    members: {
      id: text('The id of the existing one.', 'post_01M7YAV3PXPR9JYQYS5FWGY2KM'),
      url: text('Its canonical URL.', 'https://x.com/ada_l/status/1790000000000000001'),
    },
  },
  webhook_exists: {
    status: 409,
    title: 'Webhook already registered',
    meaning: 'The URL is registered and active, as the members say, and nothing is new; it was not pinged.',
    remedy: 'Nothing: it is as you want it.',
    members: webhook.shape,
  },
  bot_removed: {
    status: 409,
    title: 'Bot was removed',
    meaning: 'The template was in the directory, as `slug` at `url`, until the operator removed it.',
    remedy: 'Nothing: the template is not accepted again.',
    members: bot,
  },
  bot_gone: {
    status: 410,
    title: 'Bot removed',
    meaning: 'The operator removed this bot; `reason` says why.',
    remedy: 'Forget the bot: its slug is never reused.',
    members: { reason: text('The reason, in words.', 'It sent spam.') },
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: `The body is larger than ${limits.bodyBytes / 1_024} KB.`,
    remedy: 'Send less.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body must be JSON, sent with `Content-Type: application/json`.',
    remedy: 'Send JSON with that header.',
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation failed',
    meaning: 'The only supported `Expect` is `100-continue`; the connection is closed.',
    remedy: 'Leave `Expect` out.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'The caller has sent too many writes; try again after `Retry-After` seconds.',
    remedy: 'Wait, then send it again.',
  },
  too_many_webhooks: {
    status: 429,
    title: 'Too many webhooks',
    meaning: 'The host of this URL has reached its limit of webhooks.',
    remedy: 'Remove webhooks of that host, or use another host.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'Target and headers are larger than 16 KB; the connection is closed.',
    remedy: 'Send shorter headers on another connection.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed; `request_id` identifies the error in its logs.',
    remedy: 'Try again later; if it stays, report the `request_id` to the operator.',
  },
  directory_unavailable: {
    status: 500,
    title: 'Directory unavailable',
    meaning: 'The directory cannot be loaded right now; try again.',
    remedy: 'Try again shortly.',
  },
  saving_not_configured: {
    status: 503,
    title: 'Saving not configured',
    meaning: 'The service runs without a store, so nothing can be saved.',
    remedy: 'Ask the operator; reads work.',
  },
  submissions_closed: {
    status: 503,
    title: 'Submissions closed',
    meaning: 'The operator accepts nothing new right now; try again after `Retry-After` seconds.',
    remedy: 'Wait, then send it again.',
  },
  store_unavailable: {
    status: 503,
    title: 'Store unavailable',
    meaning: 'The store is not responding; try again after `Retry-After` seconds.',
    remedy: 'Wait, then send it again.',
  },
  template_provider_unavailable: {
    status: 503,
    title: 'Template provider unavailable',
    meaning: 'The template provider gave no readable response; try again after `Retry-After` seconds.',
    remedy: 'Wait, then send it again.',
  },
} as const satisfies Record<string, Row>;

/** A stable, machine-readable error code. */
export type ProblemCode = keyof typeof problems;

type StatusOf<C extends ProblemCode> = (typeof problems)[C]['status'];
type CodesAt<S extends number> = { [C in ProblemCode]: StatusOf<C> extends S ? C : never }[ProblemCode];
type MembersOf<C extends ProblemCode> = (typeof problems)[C] extends { members: infer M } ? M : unknown;
/** Members that only the problems of some codes have. */
export type OwnMembers = { readonly [Name in MemberName]?: MemberValue<Name> | undefined };
type MemberName = { [C in ProblemCode]: keyof MembersOf<C> }[ProblemCode];
type MemberValue<Name extends MemberName> = {
  [C in ProblemCode]: MembersOf<C> extends { readonly [Own in Name]: z.ZodType<infer Value> } ? Value : never;
}[ProblemCode];

/** Lists the members that only the problems of these codes have, with their schemas. */
const membersOf = (codes: readonly ProblemCode[]) =>
  codes.flatMap((code) => {
    const { members: own = {} }: Row = problems[code];
    return Object.entries(own).map(([name, schema]) => ({ code, name, schema }));
  });

/** A refused field: an RFC 6901 JSON pointer into the body, or `?name` for a query parameter. */
export const fieldError = z
  .object({
    pointer: text('JSON pointer (RFC 6901) into the body, or `?name` for a query parameter.', '/link'),
    detail: text('Why it was refused, in words.', 'is required'),
  })
  .meta({ id: 'FieldError', description: 'One refused field.' });
export type FieldError = z.infer<typeof fieldError>;

const members = {
  type: z.string().describe('URI reference of a page that explains the code.'),
  title: z.string().describe('The same for every problem of one code.'),
  status: z.int().describe('The HTTP status.'),
  detail: z.string().describe('What went wrong this time, in words.'),
  request_id: z.string().describe('Identifies this request in the logs; also in `X-Request-Id`.'),
  errors: z
    .array(fieldError)
    .max(limits.errorsNamed)
    .optional()
    .describe(
      `The fields that were refused, for invalid input: all of them, or the first ${limits.errorsNamed}; \`detail\` counts the rest.`,
    ),
};

const allMembers = membersOf(Object.keys(problems) as ProblemCode[]);

/** The names of all members that only the problems of some codes have. */
export const ownMembers = [...new Set(allMembers.map(({ name }) => name))] as readonly MemberName[];

/** Describes what a member says, code by code. */
const descriptionOf = (name: string): string => {
  const codes = new Map<string, string[]>();
  for (const { code, schema } of allMembers.filter((member) => member.name === name)) {
    const { description = '' } = schema;
    codes.set(description, [...(codes.get(description) ?? []), `\`${code}\``]);
  }
  return [...codes].map(([description, named]) => `With ${named.join(' and ')}: ${lowerFirst(description)}`).join(' ');
};

/** The schema of a member, for any code: those that several codes have are texts. */
const anyOf = (name: string): z.ZodType => {
  const [only, ...others] = allMembers.filter((member) => member.name === name);
  return only !== undefined && others.length === 0 ? only.schema : z.string();
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/**
 * Any error response (RFC 9457, `application/problem+json`). New codes may appear: handle an unknown one by its status.
 */
export const problem = z
  .object({
    ...members,
    code: z.string().describe('Stable, machine-readable.'),
    // Object.fromEntries does not keep the names of the table.
    ...(Object.fromEntries(ownMembers.map((name) => [name, anyOf(name).optional().describe(descriptionOf(name))])) as {
      readonly [Name in MemberName]: z.ZodOptional<z.ZodType<MemberValue<Name>>>;
    }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;

const problemOf = (codes: readonly ProblemCode[]) =>
  z.object({
    ...members,
    code: z.enum(codes),
    ...Object.fromEntries(membersOf(codes).map(({ name, schema }) => [name, schema])),
  });

/** The members of any of these codes. */
type AllMembersOf<C extends ProblemCode> = (C extends ProblemCode ? (members: MembersOf<C>) => void : never) extends (
  members: infer M,
) => void
  ? M
  : never;
type ProblemSchema<C extends ProblemCode> = z.ZodObject<
  typeof members & { code: z.ZodEnum<{ [K in C]: K }> } & AllMembersOf<C>
>;

/** Problem schemas by status. */
export type ProblemResponses<C extends ProblemCode> = { [S in StatusOf<C>]: ProblemSchema<Extract<C, CodesAt<S>>> };

/** Makes the error responses of a route that may return these codes, keyed by status. */
export const problemResponses = <const C extends ProblemCode>(...codes: C[]): ProblemResponses<C> => {
  const statuses = [...new Set(codes.map((code) => problems[code].status))];
  const byStatus = statuses.map((status) => [
    status,
    problemOf(codes.filter((code) => problems[code].status === status)),
  ]);
  // The table's type says which codes belong to which status; Object.fromEntries cannot express that.
  return Object.fromEntries(byStatus) as ProblemResponses<C>;
};
