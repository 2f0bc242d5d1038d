/** What all forms share: where they may come from, what was typed, and how a refusal is shown. */
import type { Request, RequestHandler, Response } from 'express';
import { problems } from '@bot-directory/contract';
import { asHttps, emptyForm, secretFields, type FormState } from '@bot-directory/site';
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import { withoutUnseenEnds } from '../domain/unseen.ts';
import { clientOf } from '../http/clients.ts';
import { asFailure, setAll, type Sendable } from '../http/problems.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { RequestContext } from '../operations/input.ts';

/** The values that were sent. `req.body` holds them once the body was read. */
export type Typed = URLSearchParams;

/** The result of a form: a path to redirect to, so that a reload does not send it again, or a page. */
export type FormAnswer = { readonly redirectTo: string } | { readonly page: Sendable };

/** A refused form, and what its page says next to the fields or above them. */
export type Refusal = { readonly failure: Failure; readonly typed: Typed; readonly form: FormState };

/** Who sent a form, and the slug in its path, if there is one. */
export type FormContext = RequestContext & { readonly slug: string };

/** A form, behind a limit that its page shows, as it does other refusals, so that nothing typed is lost. */
export type Form = (limit: readonly RequestHandler[]) => RequestHandler;

/**
 * Runs a form's action and responds. `act` throws the Failure that `refuse` makes a page from. Fields that are `links`
 * may lack their scheme.
 */
export const takeForm =
  (
    act: (typed: Typed, context: FormContext) => Promise<FormAnswer>,
    refuse: (refusal: Refusal, context: FormContext) => Promise<Sendable>,
    links: readonly string[] = [],
  ): Form =>
  (limit) =>
  async (req, res): Promise<void> => {
    const typed = req.body as Typed;
    for (const name of links) typed.set(name, asHttps(fieldOf(typed, name) ?? ''));
    const context = { client: clientOf(req), slug: slugOf(req) };
    try {
      for (const check of limit) await passes(check, req, res);
      const answer = await act(typed, context);
      if ('redirectTo' in answer) redirect(res, answer.redirectTo);
      else sendAnswer(res, 200, answer.page);
    } catch (error) {
      const failure = asFailure(error);
      if (failure === undefined) throw error;
      const { retryAfterSec } = failure.extras;
      if (retryAfterSec !== undefined) res.setHeader('Retry-After', String(retryAfterSec));
      const form = refusedForm(typed, failure, res);
      const page = await refuse({ failure, typed, form }, context);
      sendAnswer(res, problems[failure.code].status, page);
    }
  };

/** Resolves when a handler passes the request on, and rejects with the error if it refuses it. */
const passes = (handler: RequestHandler, req: Request, res: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    void handler(req, res, (refusal) => (refusal instanceof Error ? reject(refusal) : resolve()));
  });

/** The slug in the path of a form about a bot. */
export const slugOf = ({ params }: Request): string => String(params['slug'] ?? '');

/** Refuses forms from other sites: they could write in a visitor's name, from the visitor's address. */
export const onlyFromHere = (baseUrl: string, log: Pick<Log, 'warn'>): RequestHandler => {
  let isSaid = false;
  return (req, _res, next) => {
    if (isFromHere(req, baseUrl)) {
      next();
      return;
    }
    const origin = (req.get('origin') ?? 'unknown').slice(0, mostLogged);
    // Once: a site that is served at another address refuses every form.
    if (!isSaid) log.warn({ origin, base_url: baseUrl }, 'a form was refused, since its page is not at BASE_URL');
    isSaid = true;
    next(notFromHere(baseUrl));
  };
};

const mostLogged = 200;

const notFromHere = (baseUrl: string): Failure =>
  new Failure(
    'invalid_request',
    `This form was not sent from a page of this site, whose address is ${baseUrl}. Open it there, and send the form ` +
      'again. Programs write through the API.',
    { errors: [{ pointer: '', detail: 'must be sent from a page of this site' }] },
  );

/** Whether a page of this site sent a request. */
export const isFromHere = (req: Pick<Request, 'get'>, baseUrl: string): boolean =>
  isSameOrigin({ secFetchSite: req.get('sec-fetch-site'), origin: req.get('origin') }, baseUrl);

/** A form that was not refused, to be shown again as it was typed. */
export const typedForm = (typed: Typed): FormState => ({ ...emptyForm, values: valuesOf(typed) });

/** The values as they were typed. What is secret is never sent back: it leaves an empty list. */
const valuesOf = (typed: Typed): FormState['values'] => {
  const values = new Map<string, string[]>();
  for (const [name, value] of typed) {
    const isSecret = secretFields.includes(name);
    if (isSecret && value.trim() === '') continue;
    const all = values.get(name) ?? [];
    values.set(name, isSecret ? all : [...all, value]);
  }
  return Object.fromEntries(values);
};

/** One field, without what is not seen at its ends; `undefined` if it was left empty. */
export const fieldOf = (typed: Typed, name: string): string | undefined => {
  const value = withoutUnseenEnds(typed.get(name) ?? '');
  return value === '' ? undefined : value;
};

/** The names in one field, which commas separate; `undefined` if there are none. */
export const namesOf = (typed: Typed, name: string): string[] | undefined => {
  const names = (typed.get(name) ?? '').split(',').flatMap((one) => withoutUnseenEnds(one) || []);
  return names.length === 0 ? undefined : names;
};

/** An object without its fields that are undefined. */
export const filled = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What a failure says next to the fields, or above the form. */
const refusedForm = (typed: Typed, { code, detail, extras }: Failure, res: Response): FormState => {
  const { errors = [] } = extras;
  // An error of the whole form has no field next to which it could be shown.
  const hasField = errors.some(({ pointer }) => pointer !== '');
  const requestId = requestIdOf(res.req);
  // A limit sets its own.
  const retryAfter = res.getHeader('Retry-After');
  const retryAfterSec = retryAfter === undefined ? undefined : Number(retryAfter);
  return {
    values: valuesOf(typed),
    errors: hasField ? errors : [],
    problem: hasField ? undefined : { code, detail, requestId, retryAfterSec },
  };
};

/** The form with its failure shown next to the one field that it is about. */
export const refusedField = ({ form, failure }: Refusal, pointer: string): FormState => ({
  ...form,
  errors: [{ pointer, detail: failure.detail }],
  problem: undefined,
});

/** Sends the result of a form. It is private, so it must not be cached. */
const sendAnswer = (res: Response, status: number, { body, contentType, headers }: Sendable): void => {
  setAll(res, headers);
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', contentType);
  res.status(status).send(Buffer.from(body));
};

/** Redirects after a form succeeded. */
export const redirect = (res: Response, path: string): void => {
  res.setHeader('Cache-Control', 'no-store');
  res.redirect(303, path);
};

/** The two headers in which a browser says where a request comes from. */
type RequestSource = { readonly secFetchSite: string | undefined; readonly origin: string | undefined };

/**
 * Whether a form was sent from one of our own pages, by the headers that browsers set and other sites cannot forge.
 * `Sec-Fetch-Site` decides. Without it (plain http, old browsers), `Origin` must be ours. Without both, the result is
 * no.
 */
export const isSameOrigin = ({ secFetchSite, origin }: RequestSource, baseUrl: string): boolean =>
  secFetchSite === undefined ? origin === new URL(baseUrl).origin : secFetchSite === 'same-origin';
