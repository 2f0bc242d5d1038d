/** A write whose response was lost: its retry conflicts with its own success, and the conflict says what that was. */
import { isApiError } from './errors.ts';
import { dateOf } from './exchange.ts';
import type { Route } from './request.ts';
import { mayHaveSucceeded } from './retry.ts';

/** Recovers the success from the problem with this code: it has these members, or the input has. */
export const earlierSuccess =
  (code: string, ...members: string[]): NonNullable<Route['earlier']> =>
  (error, before, input, startedAtMs) => {
    // A dry run saves nothing, so the conflict is with somebody else's success.
    if (!before.some(mayHaveSucceeded) || input.dry_run === true || !isApiError(error, code)) return undefined;
    const { problem, response, text } = error;
    const { created_at: createdAt } = problem;
    const callMs = performance.now() - startedAtMs;
    // So is what is older than the call. `Date` has whole seconds. Without one (NaN), the age is unknown.
    if (createdAt !== undefined && !(dateOf(response) - Date.parse(createdAt) <= callMs + 1_000)) return undefined;
    const known: Record<string, unknown> = { ...input, ...problem };
    const data = Object.fromEntries(members.map((member) => [member, known[member]]));
    return Object.values(data).includes(undefined) ? undefined : { data, response, text };
  };
