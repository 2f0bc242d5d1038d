/** What a route returns, and its facts: everything about a route but its path and its input. */
import { problemResponses, type ProblemCode, type ProblemResponses } from './problem.ts';

/** Response headers that a route may send with its success. */
export const routeHeaders = {
  ETag: { type: 'string', description: 'Changes with the response; send it in `If-None-Match` to get a 304.' },
  'Last-Modified': { type: 'string', description: 'When the bot, or the whole list, last changed.' },
  Link: { type: 'string', description: 'RFC 8288: the next page, `rel="next"`. Absent on the last page.' },
  'X-Total-Count': { type: 'integer', description: 'How many entries match, on all pages.' },
  RateLimit: { type: 'string', description: 'How many writes are left, and when the limit resets.' },
  'RateLimit-Policy': { type: 'string', description: 'The limit on writes: how many in how many seconds.' },
} as const;

/** A response header of a route. */
export type RouteHeader = keyof typeof routeHeaders;

/** Groups of routes: the chapters of the reference. */
export const tags = {
  Bots: 'Read the directory, submit a bot, add integrations.',
  Feed: 'The showcase: posts of a social platform about bots.',
  Webhooks: 'Get notified of events: register a URL, check its deliveries, verify them.',
  Events: 'The same events without a webhook: as a list or a stream.',
} as const;

/** Facts about a route, as ts-rest `metadata`. */
export type RouteFacts<Code extends ProblemCode = ProblemCode> = {
  readonly tag: keyof typeof tags;
  /** Its problems, in the order in which they are checked: if several apply, the first is returned. */
  readonly checks: readonly Code[];
  readonly headers?: readonly RouteHeader[];
  /** Whether a request without a body means `{}`. */
  readonly bodyOptional?: boolean;
  /** Whether the body's fields may be sent as query parameters instead, by clients that cannot send a body. */
  readonly bodyInQuery?: boolean;
  /** Whether it is safe to repeat a request that may have arrived. Reads always are. */
  readonly repeatable?: boolean;
  /**
   * The problem that a repeated request gets if an earlier one succeeded, and the members of that success; those that
   * the problem lacks are taken from the input. Somebody else's success in between looks the same, and is as good.
   */
  readonly earlierSuccess?: { readonly problem: Code; readonly members: readonly string[] };
};

/** Makes the `responses` and `metadata` of a route. Any route may fail with `internal_error`, whatever it checks. */
export const responds = <Success, const Code extends ProblemCode>(
  success: Success,
  facts: RouteFacts<Code>,
): { responses: { 200: Success } & ProblemResponses<Code | 'internal_error'>; metadata: RouteFacts } => ({
  responses: { 200: success, ...problemResponses<Code | 'internal_error'>(...facts.checks, 'internal_error') },
  metadata: facts,
});
