/**
 * The contract, as ts-rest serves it (decision 0091). A read is sent by a middleware, from the bytes of this process's
 * copy of the directory or of the event log; ts-rest checks the input of all other routes and sends what they return.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AppRoute, ServerInferRequest } from '@ts-rest/core';
import { createExpressEndpoints, RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, IRouter, Request, RequestHandler } from 'express';
import type * as z from 'zod';
import {
  addressOf,
  contract,
  readRoutes,
  type deliveryRoutes,
  type QueryValues,
  type writeRoutes,
} from '@bot-directory/contract';
import type { Directory, Selected } from '../directory/directory.ts';
import {
  isUnpaged,
  isWhole,
  listingValues,
  parseBotQuery,
  parseEventQuery,
  parseFacetQuery,
  parsePageQuery,
  parseNoQuery,
  type ListingResult,
} from '../directory/listing.ts';
import { jsonBody, readJson } from '../http/body.ts';
import { clientOf } from '../http/clients.ts';
import type { Route } from '../http/routes.ts';
import type { BoundOperations, OperationName } from '../operations/index.ts';
import { bodyErrors, configured, invalidInput, queryErrors } from '../operations/input.ts';
import { refuseSwitches } from '../operations/switches.ts';
import { linesType, type Content, type ResourceRoute } from '../reads/resource.ts';
import type { CreateHandler } from '../reads/handler.ts';
import { bodyOf, type Body } from '../reads/representation.ts';
import {
  createStreamHandler,
  nextLink,
  readEvents,
  streamRoute,
  type EventLogDeps,
  type EventReads,
} from './events.ts';
import { bodyWith, detailed, parseIncluding } from './included.ts';
import { onlyParameters } from './parameters.ts';

/** What the reads depend on. `events` undefined: saving is not configured. */
export type ApiContext = {
  readonly directory: Directory;
  readonly baseUrl: string;
  readonly categories: readonly string[];
  readonly frame: { readonly templateHost: string };
  readonly events: EventReads | undefined;
};

type ReadName = keyof typeof readRoutes;

/** The path's parameters, by the contract. */
type ParamsOf<Name extends ReadName> =
  ServerInferRequest<(typeof readRoutes)[Name]> extends { readonly params: infer Params } ? Params : unknown;

/** The resources, by the contract's names: a missing one does not compile. */
const resources: { readonly [Name in ReadName]: ResourceRoute<ApiContext, ParamsOf<Name>>['find'] } = {
  listBots: ({ directory, baseUrl, categories, frame: { templateHost } }, { search, isLines }) => {
    const listing = valid(
      parseIncluding(new URLSearchParams(search), (sent) => parseBotQuery(sent, { categories, templateHost })),
    );
    const { include } = listing;
    return {
      query: listing,
      freshness: { of: 'directory', state: () => directory.bots.stateInOrder(listing.sort) },
      make: async () => {
        const { bots } = directory;
        if (isWhole(listing) && !isLines && include.length === 0) return { body: bots };
        const selected = await bots.select(listing);
        const content = page(selected, [`${baseUrl}/api/bots`, { ...listingValues(listing), include }], isLines);
        return include.length === 0
          ? content
          : { ...content, body: bodyWith(selected, bots, { include, templateHost, isLines }) };
      },
    };
  },
  countFacets: ({ directory, categories, frame: { templateHost } }, { search }) => {
    const listing = valid(parseFacetQuery(new URLSearchParams(search), { categories, templateHost }));
    return {
      query: listing,
      freshness: { of: 'directory', state: () => directory.bots },
      make: async () => ({ body: JSON.stringify(await directory.bots.countFacets(listing, categories)) }),
    };
  },
  getBot: ({ directory, frame: { templateHost } }, { params: { slug } }) => ({
    query: slug,
    freshness: { of: 'directory', state: () => directory.bots.stateOf(directory.ordinalOf(slug)) },
    make: () => {
      const { bots } = directory;
      const ordinal = directory.ordinalOf(slug);
      return { body: JSON.stringify(detailed(bots.bot(ordinal), bots.index.unshown(ordinal), templateHost)) };
    },
  }),
  listPosts: ({ directory, baseUrl }, { search }) => {
    const paging = valid(parsePageQuery(new URLSearchParams(search)));
    return {
      query: paging,
      freshness: { of: 'directory', state: () => directory.posts },
      make: () =>
        isUnpaged(paging)
          ? { body: directory.posts }
          : page(directory.posts.page(paging), [`${baseUrl}/api/feed`, { limit: paging.limit }]),
    };
  },
  listCategories: ({ directory, categories }, { search }) => ({
    query: valid(parseNoQuery(new URLSearchParams(search))),
    freshness: { of: 'directory', state: () => directory.bots },
    make: () => ({ body: JSON.stringify(directory.bots.index.countCategories(categories)) }),
  }),
  listIntegrations: ({ directory }, { search }) => ({
    query: valid(parseNoQuery(new URLSearchParams(search))),
    freshness: { of: 'directory', state: () => directory.bots },
    make: () => ({ body: JSON.stringify(directory.bots.index.countIntegrations()) }),
  }),
  listEvents: ({ events, baseUrl, categories, frame: { templateHost } }, { search }) => {
    const query = valid(parseIncluding(new URLSearchParams(search), (sent) => parseEventQuery(sent, categories)));
    return readEvents(configured(events), query, { address: `${baseUrl}/api/events`, templateHost });
  },
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

/** What the routes need. `events` undefined: saving is not configured. */
export type ApiDeps = {
  readonly operations: BoundOperations;
  readonly events: EventLogDeps | undefined;
  readonly categories: readonly string[];
  readonly templateHost: string;
  readonly limit: readonly RequestHandler[];
  /** Aborted when the server stops: ends the streams of events. */
  readonly ending: AbortSignal;
  readonly handlerOf: CreateHandler<ApiContext>;
};

export const apiRoutes = (deps: ApiDeps): readonly Route[] => {
  const { operations, limit, handlerOf } = deps;
  const reads = Object.entries(readRoutes).map(([name, { path }]): [string, Implementation[string]] => {
    const route = { path, find: resources[name as ReadName], hasLines: name === 'listBots' };
    return [name, { middleware: [handlerOf(route)], handler: unreached }];
  });
  const names = Object.keys(operations) as OperationName[];
  const others = names.map((name): [string, Implementation[string]] => [
    name,
    implementationOf(name, operations, limit),
  ]);
  return [
    ...routesOf(readRoutes, Object.fromEntries(reads)).map((route) => ({ ...route, hasAllHeaders: true })),
    ...routesOf(
      { ...Object.fromEntries(names.map((name) => [name, refinedRoute(name, operations)])), ...streamRoute },
      { ...Object.fromEntries(others), ...createStreamHandler(deps) },
    ),
  ];
};

type AppRoutes = Record<string, AppRoute>;
type Implementation = Parameters<typeof createExpressEndpoints<AppRoutes>>[1];

/** Has ts-rest make the handlers of routes, which are mounted with all others. */
const routesOf = (contracted: AppRoutes, implementation: Implementation): readonly Route[] => {
  const routes: Route[] = [];
  const add =
    (method: Route['method']) =>
    (path: string, ...handlers: readonly RequestHandler[]): void => {
      routes.push({ method, path, handlers: [...handlers, refuseInput] });
    };
  // What ts-rest calls of a router. Its handler of errors would be the app's.
  const router = { get: add('GET'), post: add('POST'), delete: add('DELETE'), use: () => undefined };
  createExpressEndpoints(contracted, implementation, router as unknown as IRouter, { logInitialization: false });
  return routes;
};

const refuseInput: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  next(error instanceof RequestValidationError ? invalidRequest(error) : error);
};

/** Is never called: the middleware of a read has responded, or has passed on an error. */
const unreached = (): never => {
  throw new Error('a read was not answered');
};

/** The route of an operation with the operation's own rules for its input. */
const refinedRoute = (name: OperationName, operations: BoundOperations): AppRoute => {
  const route = contract[name];
  const { input } = operations[name];
  return 'body' in route ? { ...route, body: input } : { ...route, query: input };
};

type Input = {
  readonly params: { readonly slug?: string };
  readonly body?: unknown;
  readonly query: unknown;
  readonly req: Pick<Request, 'ip'>;
};

const implementationOf = (name: OperationName, operations: BoundOperations, limit: readonly RequestHandler[]) => {
  const route = contract[name];
  const { input, run } = operations[name];
  return {
    middleware: 'body' in route ? [...limit, ...readBody(route, input)] : readQuery(route),
    handler: async ({ params: { slug }, body, query, req }: Input) => {
      const returned = await run(body ?? query, { client: clientOf(req), slug });
      return { status: 200 as const, body: returned };
    },
  };
};

type WriteRoute = (typeof writeRoutes)[keyof typeof writeRoutes];

const readBody = ({ body, metadata }: WriteRoute, input: z.ZodType): readonly RequestHandler[] => {
  const fields = Object.keys(body.shape);
  if (metadata.bodyInQuery === true) return [onlyParameters(fields), bodyOrQuery(fields, input)];
  return [jsonBody(metadata.bodyOptional === true), refuseSwitches(fields)];
};

const readQuery = (route: (typeof deliveryRoutes)['getWebhookStatus' | 'listWebhookKeys']): RequestHandler[] =>
  'query' in route ? [onlyParameters(Object.keys(route.query.shape))] : [];

/** Reads a body, which clients that cannot send one send as a query. If both are sent, they must be equal. */
const bodyOrQuery =
  (names: readonly string[], input: z.ZodType): RequestHandler =>
  async (req, res, next) => {
    const { query } = req;
    const inQuery = names.filter((name) => query[name] !== undefined);
    const asked = inQuery.length === 0 ? undefined : input.safeParse(query);
    if (asked?.success === false) throw invalidInput(queryErrors(asked.error.issues));
    req.body = await readJson(req, res, asked === undefined ? undefined : query);
    const sent = asked === undefined ? undefined : input.safeParse(req.body);
    if (sent?.success === true && !isDeepStrictEqual(sent.data, asked?.data))
      throw invalidInput(inQuery.map((name) => ({ pointer: `?${name}`, detail: 'is not what the body says' })));
    next();
  };

const invalidRequest = ({ body, query, pathParams }: RequestValidationError): Error =>
  invalidInput([...bodyErrors(body?.issues ?? pathParams?.issues ?? []), ...queryErrors(query?.issues ?? [])]);
