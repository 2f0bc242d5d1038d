/** The contract, mounted with ts-rest (decision 0091): every route but those that are answered before Express. */
import { isDeepStrictEqual } from 'node:util';
import { initContract, type AppRoute, type AppRouter } from '@ts-rest/core';
import { createExpressEndpoints, type RequestValidationError } from '@ts-rest/express';
import type { Express, RequestHandler } from 'express';
import type * as z from 'zod';
import { contract, writeRoutes } from '@bot-directory/contract';
import { isWithoutBody, jsonBody, readJson } from '../http/body.ts';
import type { BoundOperations, OperationName } from '../operations/index.ts';
import { bodyErrors, invalidInput, queryErrors } from '../operations/input.ts';
import { createStreamHandler, streamRoute, type EventLogDeps } from './events.ts';

/** What the routes need. `events` undefined: saving is not configured. */
export type ApiDeps = {
  readonly operations: BoundOperations;
  readonly events: EventLogDeps | undefined;
  /** The names of the categories. */
  readonly categories: readonly string[];
  /** The limit on writes. */
  readonly limit: readonly RequestHandler[];
  /** Aborted when the server stops: ends the streams of events. */
  readonly ending: AbortSignal;
};

/** Mounts the routes. */
export const mountApi = (app: Express, { operations, events, categories, limit, ending }: ApiDeps): void => {
  for (const [name, { method, path, body, metadata }] of Object.entries(writeRoutes)) {
    const { input } = operations[name as keyof typeof writeRoutes];
    const read =
      metadata.bodyInQuery === true
        ? bodyOrQuery(Object.keys(body.shape), input)
        : jsonBody(metadata.bodyOptional === true);
    app[method === 'POST' ? 'post' : 'delete'](path, ...limit, read);
  }
  const names = Object.keys(operations) as OperationName[];
  const routes = Object.fromEntries(names.map((name) => [name, refinedRoute(name, operations)]));
  const handlers = Object.fromEntries(names.map((name) => [name, handlerOf(operations[name].run)]));
  createExpressEndpoints<AppRouter>(
    initContract().router({ ...routes, ...streamRoute }),
    // ts-rest types the handlers of routes that it knows by name.
    { ...handlers, ...createStreamHandler({ events, categories, ending }) } as never,
    app,
    {
      logInitialization: false,
      requestValidationErrorHandler: (error, _req, _res, next) => {
        next(invalidRequest(error));
      },
    },
  );
};

/** The route of an operation with the operation's own rules for its input. */
const refinedRoute = (name: OperationName, operations: BoundOperations): AppRoute => {
  const route = contract[name];
  const { input } = operations[name];
  return 'body' in route ? { ...route, body: input } : { ...route, query: input };
};

/** Reads a body that clients that can send none send as a query. If both are sent, they are equal. */
const bodyOrQuery =
  (names: readonly string[], input: z.ZodType): RequestHandler =>
  async (req, res, next) => {
    const { query } = req;
    const inQuery = names.filter((name) => query[name] !== undefined);
    const asked = inQuery.length === 0 ? undefined : input.safeParse(query);
    if (asked?.success === false) throw invalidInput(queryErrors(asked.error.issues));
    req.body = asked !== undefined && isWithoutBody(req) ? query : await readJson(req, res);
    const sent = asked === undefined ? undefined : input.safeParse(req.body);
    if (sent?.success === true && !isDeepStrictEqual(sent.data, asked?.data))
      throw invalidInput(inQuery.map((name) => ({ pointer: `?${name}`, detail: 'is not what the body says' })));
    next();
  };

type Request = { readonly params: { readonly slug?: string }; readonly body?: unknown; readonly query: unknown };

const handlerOf =
  (run: (input: unknown, slug?: string) => Promise<unknown>) =>
  async ({ params, body, query }: Request) => ({ status: 200, body: await run(body ?? query, params.slug) });

const invalidRequest = ({ body, query, pathParams }: RequestValidationError): Error =>
  invalidInput([...bodyErrors(body?.issues ?? pathParams?.issues ?? []), ...queryErrors(query?.issues ?? [])]);
