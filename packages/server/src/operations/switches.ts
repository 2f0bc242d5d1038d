/**
 * What resembles a switch that prevents a write. Other unknown fields are ignored; one of these is refused, because its
 * sender would publish what was not meant to be.
 */
import type { RequestHandler } from 'express';
import { invalidInput } from './input.ts';

/** These prevent a write unless they say no. Names are compared by their letters: `DRY_RUN` is `dryRun`. */
const preventing = new Set(
  `dryrun isdryrun dryrunmode dry simulate simulation simulated pretend rehearsal whatif noop noaction nowrite nosave
   nopublish preview previewonly ispreview validate validateonly onlyvalidate validation check checkonly onlycheck
   verify verifyonly test testonly testmode istest testrun sandbox mock trial draft isdraft private isprivate unlisted
   isunlisted hidden`.split(/\s+/),
);

/** These prevent a write if they say no, and only then. */
const allowing = new Set('publish published ispublished public ispublic save commit persist listed visible'.split(' '));
const no: readonly unknown[] = [false, 0, 'false', '0', 'no', 'off'];

const prevents = (name: string, value: unknown): boolean => {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  return no.includes(value) ? allowing.has(letters) : preventing.has(letters);
};

/** The switches among the fields of a body. `fields`: what the operation takes. */
export const switchIssues = (sent: unknown, fields: readonly string[]): { message: string; path: string[] }[] =>
  Object.entries(sent ?? {}).flatMap(([name, value]) =>
    prevents(name, value) && !fields.includes(name) ? [{ message: refusal(fields), path: [name] }] : [],
  );

/** Refuses a switch in the query of a write, which takes none. */
export const refuseSwitches =
  (fields: readonly string[]): RequestHandler =>
  ({ url }, _res, next) => {
    const parameters = [...new URLSearchParams(url.split('?', 2)[1] ?? '')];
    const errors = parameters.flatMap(([name, value]) =>
      prevents(name, value) ? [{ pointer: `?${name}`, detail: refusal(fields) }] : [],
    );
    next(errors.length > 0 ? invalidInput(errors) : undefined);
  };

const refusal = (fields: readonly string[]): string =>
  fields.includes('dry_run')
    ? 'prevents nothing: send `"dry_run": true` in the body, and nothing is published'
    : 'prevents nothing: there is no dry run of this';
