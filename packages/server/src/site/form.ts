/** What all forms share: where they may come from, what was typed, and how a refusal is shown. */
import type { Request, RequestHandler, Response } from 'express';
import { problems } from '@bot-directory/contract';
import type { FormState } from '@bot-directory/site';
import { Failure } from '../base/failure.ts';
import { isSameOrigin } from '../domain/same-origin.ts';
import { notFromHere } from './failures.ts';
import type { Sendable } from './page-read.ts';

/** The values that were sent. `req.body` holds them once the body was read. */
export type Typed = URLSearchParams;

/** The result of a form: a path to redirect to, so that a reload does not send it again, or a page. */
export type FormAnswer = { readonly leadTo: string } | { readonly page: Sendable };

/** A refused form, and what its page says beside the fields or above them. */
export type Refusal = { readonly failure: Failure; readonly typed: Typed; readonly form: FormState };

/** Runs a form's action and responds. `act` throws the Failure that `refuse` makes a page from. */
export const takeForm =
  <Params>(
    act: (typed: Typed, params: Params) => Promise<FormAnswer>,
    refuse: (refusal: Refusal, params: Params) => Promise<Sendable>,
  ) =>
  async (req: Request<Params>, res: Response): Promise<void> => {
    const typed = req.body as Typed;
    try {
      const answer = await act(typed, req.params);
      if ('leadTo' in answer) leadOn(res, answer.leadTo);
      else sendAnswer(res, 200, answer.page);
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      const form = refusedForm(typed, failure, String(res.getHeader('X-Request-Id')));
      const page = await refuse({ failure, typed, form }, req.params);
      const { retryAfterSec } = failure.extras;
      if (retryAfterSec !== undefined) res.setHeader('Retry-After', String(retryAfterSec));
      sendAnswer(res, problems[failure.code].status, page);
    }
  };

/** Refuses forms from other sites: they could write in a visitor's name, from the visitor's address. */
export const onlyFromHere =
  (baseUrl: string): RequestHandler =>
  (req, _res, next) => {
    const source = { secFetchSite: req.get('sec-fetch-site'), origin: req.get('origin') };
    next(isSameOrigin(source, baseUrl) ? undefined : notFromHere());
  };

/** The values as they were typed, without secrets. */
const valuesOf = (typed: Typed): FormState['values'] => {
  const values = new Map<string, string[]>();
  for (const [name, value] of typed) {
    const all = values.get(name);
    if (all !== undefined) all.push(value);
    else if (name !== 'secret') values.set(name, [value]);
  }
  return Object.fromEntries(values);
};

/** One field, trimmed; `undefined` if it was left empty. */
export const fieldOf = (typed: Typed, name: string): string | undefined => {
  const value = typed.get(name)?.trim() ?? '';
  return value === '' ? undefined : value;
};

/** An object without its fields that are undefined. */
export const filled = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What a failure says beside the fields, or above the form. */
const refusedForm = (typed: Typed, failure: Failure, requestId: string): FormState => {
  const { errors = [], retryAfterSec } = failure.extras;
  return {
    values: valuesOf(typed),
    errors,
    problem: errors.length > 0 ? undefined : { code: failure.code, detail: failure.detail, requestId, retryAfterSec },
  };
};

/** The form with its failure shown beside the one field that it is about. */
export const refusedField = ({ form, failure }: Refusal, pointer: string): FormState => ({
  ...form,
  errors: [{ pointer, detail: failure.detail }],
  problem: undefined,
});

/** Sends the result of a form. It is private, so it must not be cached. */
const sendAnswer = (res: Response, status: number, { body, contentType, headers }: Sendable): void => {
  for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i] ?? '', headers[i + 1] ?? '');
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', contentType);
  res.status(status).send(Buffer.from(body));
};

/** Redirects after a form succeeded. */
export const leadOn = (res: Response, path: string): void => {
  res.setHeader('Cache-Control', 'no-store');
  res.redirect(303, path);
};
