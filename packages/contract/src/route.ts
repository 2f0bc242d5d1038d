/** What a route returns and which facts hold of it: everything about a route that is neither its address nor its input. */
import { problemResponses, type ProblemCode, type ProblemResponses } from './problem.ts';

/** Response headers that a route may send with its success. */
export const routeHeaders = {
  ETag: { type: 'string', description: 'Changes with the answer; send it back in `If-None-Match` for a 304.' },
  'Last-Modified': { type: 'string', description: 'When the directory last changed.' },
  Link: { type: 'string', description: 'RFC 8288: the next page, `rel="next"`. Absent on the last.' },
  'X-Total-Count': { type: 'integer', description: 'How many entries match, over all pages.' },
  RateLimit: { type: 'string', description: 'What is left of the limit on writes, and when it is whole again.' },
  'RateLimit-Policy': { type: 'string', description: 'The limit on writes: how many in which time.' },
} as const;

/** A response header of a route. */
export type RouteHeader = keyof typeof routeHeaders;

/** What a route is about: the chapters of the reference. */
export const tags = {
  Bots: 'Read the directory, submit a bot, add integrations.',
  Feed: 'The showcase: posts of a social platform about bots.',
  Webhooks: 'Be told of events: register a URL, see how its deliveries go, verify them.',
  Events: 'The same events without a webhook: catch up, or stream.',
} as const;

/** Facts about a route, as ts-rest `metadata`. */
export type RouteFacts<Code extends ProblemCode = ProblemCode> = {
  readonly tag: keyof typeof tags;
  /** Its problems, in the order in which they are checked: of several that hold, the first is returned. */
  readonly checks: readonly Code[];
  readonly headers?: readonly RouteHeader[];
  /** Whether a request that may have arrived can be sent again without harm. Of reads it is taken for granted. */
  readonly repeatable?: boolean;
  /**
   * The problem by which a repeated request meets its own earlier success, and the members of that success; those that
   * the problem does not carry are the input's. What somebody else did in between reads the same, and is as good.
   */
  readonly earlierSuccess?: { readonly problem: Code; readonly members: readonly string[] };
};

/** The `responses` and `metadata` of a route. Any route may fail with `internal_error`, whatever it checks. */
export const responds = <Success, const Code extends ProblemCode>(
  success: Success,
  facts: RouteFacts<Code>,
): { responses: { 200: Success } & ProblemResponses<Code | 'internal_error'>; metadata: RouteFacts } => ({
  responses: { 200: success, ...problemResponses<Code | 'internal_error'>(...facts.checks, 'internal_error') },
  metadata: facts,
});
