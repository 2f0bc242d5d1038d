/** What every form of a page has in common: where it may come from, what was typed, and how a refusal is shown. */
import type { Request, RequestHandler, Response } from 'express';
import { problems } from '@bot-directory/contract';
import type { FormState } from '@bot-directory/site';
import { Failure } from '../base/failure.ts';
import { isSameOrigin } from '../domain/same-origin.ts';
import { notFromHere } from './failures.ts';
import type { Sendable } from './page-read.ts';

/** What was sent. `req.body` holds it once the body was read. */
export type Typed = URLSearchParams;

/** Refuses what another site sent: it could write in a visitor's name, from the visitor's address. */
export const onlyFromHere =
  (baseUrl: string): RequestHandler =>
  (req, _res, next) => {
    const source = { secFetchSite: req.get('sec-fetch-site'), origin: req.get('origin') };
    next(isSameOrigin(source, baseUrl) ? undefined : notFromHere());
  };

/** The values as they were typed, but for those that are nobody's to see again. */
const valuesOf = (typed: Typed): FormState['values'] => {
  const values: Record<string, string[]> = {};
  for (const name of new Set(typed.keys())) if (name !== 'secret') values[name] = typed.getAll(name);
  return values;
};

/** One field, without the space around it; `undefined` when it was left empty. */
export const fieldOf = (typed: Typed, name: string): string | undefined => {
  const value = typed.get(name)?.trim() ?? '';
  return value === '' ? undefined : value;
};

/** An object without its fields that are undefined. */
export const filled = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What a failure says beside the fields, or above the form. */
export const refusedForm = (typed: Typed, failure: Failure, requestId: string): FormState => {
  const { errors = [], retryAfterSec } = failure.extras;
  return {
    values: valuesOf(typed),
    errors,
    problem: errors.length > 0 ? undefined : { code: failure.code, detail: failure.detail, requestId, retryAfterSec },
  };
};

/** The same, with the failure put beside the one field that it is about. */
export const refusedField = (typed: Typed, { detail }: Failure, pointer: string): FormState => ({
  values: valuesOf(typed),
  errors: [{ pointer, detail }],
  problem: undefined,
});

/** Sends what came of a form. It is nobody else's, so nobody keeps it. */
export const sendAnswer = (res: Response, status: number, { body, contentType, headers }: Sendable): void => {
  for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i] ?? '', headers[i + 1] ?? '');
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', contentType);
  res.status(status).send(Buffer.from(body));
};

/** Sends a refusal with its own status. */
export const sendRefusal = (res: Response, failure: Failure, page: Sendable): void => {
  const { retryAfterSec } = failure.extras;
  if (retryAfterSec !== undefined) res.setHeader('Retry-After', String(retryAfterSec));
  sendAnswer(res, problems[failure.code].status, page);
};

/** Leads on after a form did what it says, so that a reload sends it no second time. */
export const leadOn = (res: Response, path: string): void => {
  res.setHeader('Cache-Control', 'no-store');
  res.redirect(303, path);
};

/** The failure that was thrown; a bug goes on. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  throw error;
};

/** The id of a request, as its answer says it. */
export const requestIdOf = (res: Response): string => String(res.getHeader('X-Request-Id'));

/** The form that a request holds. */
export const typedIn = (req: Request): Typed => req.body as Typed;
