/**
 * The contract, as it is served: its reads, which are answered before Express from this process's copy of the directory
 * and from the event log, and all other routes, which are mounted with ts-rest (decision 0091).
 */
import { isDeepStrictEqual } from 'node:util';
import { initContract, type AppRoute, type AppRouter } from '@ts-rest/core';
import { createExpressEndpoints, type RequestValidationError } from '@ts-rest/express';
import type { Express, RequestHandler } from 'express';
import type * as z from 'zod';
import {
  addressOf,
  contract,
  deliveryRoutes,
  limits,
  readRoutes,
  writeRoutes,
  type QueryValues,
} from '@bot-directory/contract';
import type { Directory, Selected } from '../directory/directory.ts';
import {
  isUnpaged,
  isWhole,
  listingValues,
  parseBotQuery,
  parseEventQuery,
  parsePageQuery,
  type ListingResult,
} from '../directory/listing.ts';
import { isWithoutBody, jsonBody, readJson } from '../http/body.ts';
import type { BoundOperations, OperationName } from '../operations/index.ts';
import { bodyErrors, configured, invalidInput, queryErrors } from '../operations/input.ts';
import { onlyParameters } from '../operations/parameters.ts';
import { linesType, type Content, type ReadRow } from '../reads/read.ts';
import { bodyOf, type Body } from '../reads/representation.ts';
import {
  createStreamHandler,
  nextLink,
  readEvents,
  streamRoute,
  type EventLogDeps,
  type EventReads,
} from './events.ts';

/** What the reads depend on. `events` undefined: saving is not configured. */
export type ApiContext = {
  readonly directory: Directory;
  readonly baseUrl: string;
  readonly categories: readonly string[];
  readonly events: EventReads | undefined;
};

/** The rows, by the contract's names: a missing row does not compile. */
const rows: { readonly [Name in keyof typeof readRoutes]: ReadRow<ApiContext>['read'] } = {
  listBots: ({ directory, baseUrl, categories }, { search, isLines }) => {
    const listing = valid(parseBotQuery(parametersOf(search), categories));
    return {
      query: listing,
      isSearch: listing.words.length > 0,
      state: () => directory.bots.stateInOrder(listing.sort),
      make: async () =>
        isWhole(listing) && !isLines
          ? { body: directory.bots }
          : page(await directory.bots.select(listing), [`${baseUrl}/api/bots`, listingValues(listing)], isLines),
    };
  },
  getBot: ({ directory }, { params: { slug = '' } }) => {
    return {
      query: slug,
      state: () => directory.bots.stateOf(directory.ordinalOf(slug)),
      make: () => ({ body: bodyOf(directory.bots.segments.copyOfJson(directory.ordinalOf(slug))) }),
    };
  },
  listPosts: ({ directory, baseUrl }, { search }) => {
    const paging = valid(parsePageQuery(parametersOf(search)));
    return {
      query: paging,
      state: () => directory.posts,
      make: () =>
        isUnpaged(paging)
          ? { body: directory.posts }
          : page(directory.posts.page(paging), [`${baseUrl}/api/feed`, { limit: paging.limit }]),
    };
  },
  listCategories: ({ directory, categories }) => ({
    query: undefined,
    state: () => directory.bots,
    make: () => ({ body: JSON.stringify(directory.bots.index.countCategories(categories)) }),
  }),
  listIntegrations: ({ directory }) => ({
    query: undefined,
    state: () => directory.bots,
    make: () => ({ body: JSON.stringify(directory.bots.index.countIntegrations()) }),
  }),
  listEvents: ({ events, baseUrl, categories }, { search }) => {
    const query = valid(parseEventQuery(parametersOf(search), categories));
    return readEvents(configured(events), query, `${baseUrl}/api/events`);
  },
};

/** All reads of the API. */
export const apiReads: readonly ReadRow<ApiContext>[] = Object.entries(readRoutes).map(([name, { path }]) => ({
  path,
  read: rows[name as keyof typeof rows],
  hasLines: name === 'listBots',
}));

/** The parameters, unless there are too many. */
const parametersOf = (search: string): URLSearchParams => {
  let count = search === '' ? 0 : 1;
  for (let i = search.indexOf('&'); i !== -1; i = search.indexOf('&', i + 1)) count += 1;
  if (count > limits.queryParameters)
    throw invalidInput([{ pointer: '?', detail: `must have at most ${limits.queryParameters} parameters` }]);
  return new URLSearchParams(search);
};

/** The parsed query. Its parameters were sent as `?name`, or as members of an object. Failure: invalid_request. */
export const valid = <T>(result: ListingResult<T>, sentAs: '?' | '/' = '?'): T => {
  if (!result.ok) throw invalidInput(result.errors.map((one) => ({ ...one, pointer: sentAs + one.pointer.slice(1) })));
  return result.value;
};

/** A page of a list. Its path and query are those of the next one. */
const page = (selected: Selected, [path, query]: [path: string, QueryValues], isLines = false): Content => ({
  ...(isLines ? { body: linesOfSelected(selected), contentType: linesType } : { body: bodyOfSelected(selected) }),
  total: selected.total,
  link: selected.next === undefined ? undefined : nextLink(addressOf(path, { ...query, cursor: selected.next })),
});

const entriesOfPiece = 256;
const largeBytes = 1_048_576;

/** The JSON array of the selected entries. A large one is made piece by piece, each time it is sent. */
const bodyOfSelected = (selected: Selected): Body => {
  const { ordinals, segments } = selected;
  const length = segments.arrayLength(ordinals);
  if (length <= largeBytes) return bodyOf(segments.arrayPiece(ordinals, 0, ordinals.length));
  return {
    length,
    heldBytes: ordinals.byteLength,
    pieces: function* () {
      for (let i = 0; i < ordinals.length; i += entriesOfPiece)
        yield segments.arrayPiece(ordinals, i, i + entriesOfPiece);
    },
  };
};

/** The selected entries as lines, made piece by piece each time they are sent. */
const linesOfSelected = ({ ordinals, segments }: Selected): Body => ({
  length: segments.linesLength(ordinals),
  heldBytes: ordinals.byteLength,
  pieces: function* () {
    for (let i = 0; i < ordinals.length; i += entriesOfPiece)
      yield segments.lines(ordinals.subarray(i, i + entriesOfPiece));
  },
});

/** What the mounted routes need. `events` undefined: saving is not configured. */
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

/** Mounts every route but the reads. */
export const mountApi = (app: Express, { operations, events, categories, limit, ending }: ApiDeps): void => {
  for (const [name, { method, path, body, metadata }] of Object.entries(writeRoutes)) {
    const { input } = operations[name as keyof typeof writeRoutes];
    const fields = Object.keys(body.shape);
    const read =
      metadata.bodyInQuery === true
        ? [onlyParameters(fields), bodyOrQuery(fields, input)]
        : [jsonBody(metadata.bodyOptional === true)];
    app[method === 'POST' ? 'post' : 'delete'](path, ...limit, ...read);
  }
  const { path: statusPath, query } = deliveryRoutes.getWebhookStatus;
  app.get(statusPath, onlyParameters(Object.keys(query.shape)));
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

/** Reads a body, which clients that cannot send one send as a query. If both are sent, they must be equal. */
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
