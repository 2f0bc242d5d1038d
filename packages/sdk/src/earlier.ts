/** A write whose response was lost: its retry conflicts with its own success, and the conflict says what that was. */
import { ApiError } from './errors.ts';
import { dateOf } from './exchange.ts';
import type { Route } from './request.ts';
import { mayHaveSucceeded } from './retry.ts';

/** Recovers the success from the problem with this code: it has these members, or the input has. */
export const earlierSuccess =
  (code: string, ...members: string[]): NonNullable<Route['earlier']> =>
  (errors, input, startedAtMs) => {
    const [error, ...before] = [...errors].reverse();
    // A dry run saves nothing, so the conflict is with somebody else's success.
    if (!before.some(mayHaveSucceeded) || ('dry_run' in input && input.dry_run === true)) return undefined;
    if (!(error instanceof ApiError) || error.problem?.code !== code) return undefined;
    const { problem, response, text } = error;
    const { created_at: createdAt } = problem;
    const callMs = performance.now() - startedAtMs;
    // So is what is older than the call. `Date` has whole seconds. Without one (NaN), the age is unknown.
    if (createdAt !== undefined && !(dateOf(response) - Date.parse(createdAt) <= callMs + 1_000)) return undefined;
    const known: Record<string, unknown> = { ...input, ...problem };
    if (members.some((member) => known[member] === undefined)) return undefined;
    return { data: Object.fromEntries(members.map((member) => [member, known[member]])), response, text };
  };
