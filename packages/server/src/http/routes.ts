/**
 * How the list of all routes is mounted on Express. Every path is one Express route, which responds to every method:
 * HEAD as GET, OPTIONS with what CORS asks, and what the path does not accept with a 405.
 */
import type { ErrorRequestHandler, Express, RequestHandler, Response } from 'express';
import { Failure } from '../base/failure.ts';
import { nothingHere, setCommonHeaders } from './problems.ts';
import { requestIdOf } from './request-id.ts';
import { hasTrailingSlash } from './target.ts';

/** A method of a path, which is written as Express matches it. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly handlers: readonly (RequestHandler | ErrorRequestHandler)[];
  /** Whether its handlers send every header themselves, also those that all responses have. */
  readonly hasAllHeaders?: boolean;
};

/** Mounts routes, and a 404 for every other path. */
export const mountRoutes = (app: Express, routes: readonly Route[], baseUrl: string): void => {
  const common: RequestHandler = (req, res, next) => {
    setCommonHeaders(res, { requestId: requestIdOf(req), baseUrl });
    next();
  };
  /** Redirects to a page's one address. The API has both, as programs often add a slash. */
  const oneAddress: RequestHandler = (req, res, next) => {
    if (req.url === req.originalUrl || !hasTrailingSlash(req.originalUrl)) {
      next();
      return;
    }
    setCommonHeaders(res, { requestId: requestIdOf(req), baseUrl });
    res.writeHead(308, { Location: req.url }).end();
  };
  for (const path of pathsOf(routes)) {
    const own = routes.filter((route) => route.path === path);
    const route = app.route(path);
    for (const { method, handlers, hasAllHeaders = false } of own) {
      const before = [
        ...(method === 'GET' && !path.startsWith('/api/') ? [oneAddress] : []),
        ...(hasAllHeaders ? [] : [common]),
      ];
      route[verbs[method]](...before, ...handlers);
    }
    route.all(common, refuse(own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))));
  }
  app.use(common, refuse([]));
};

const verbs = { GET: 'get', POST: 'post', DELETE: 'delete' } as const;

/** All paths, each once; a literal comes before a pattern that it matches. */
const pathsOf = (routes: readonly Route[]): string[] => {
  const inOrder = (path: string): string => path.replaceAll(':', '~');
  return [...new Set(routes.map(({ path }) => path))].sort((a, b) => (inOrder(a) < inOrder(b) ? -1 : 1));
};

/** Responds to what no handler of a path has taken. */
const refuse =
  (methods: readonly string[]): RequestHandler =>
  (req, res, next) => {
    const allow = methods.length === 0 ? [] : [...methods, 'OPTIONS'];
    if (req.method === 'OPTIONS') preflight(req.get('access-control-request-headers'), res, allow);
    else if (allow.length === 0 || allow.includes(req.method)) next(nothingHere());
    else next(new Failure('method_not_allowed', `This path accepts ${allow.join(', ')}.`, { allow }));
  };

const preflight = (headers: string | undefined, res: Response, allow: readonly string[]): void => {
  const methods = allow.length === 0 ? 'GET, HEAD, POST, DELETE, OPTIONS' : allow.join(', ');
  res.setHeader('Access-Control-Allow-Methods', methods);
  res.setHeader('Access-Control-Allow-Headers', headers ?? '*');
  res.setHeader('Access-Control-Max-Age', '7200');
  res.setHeader('Vary', 'Access-Control-Request-Headers');
  if (allow.length > 0) res.setHeader('Allow', methods);
  res.status(204).end();
};
