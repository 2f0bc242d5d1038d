/** Every path and its methods, for 404, 405 and `Allow`. The API's come from the contract. */
import { contract } from '@bot-directory/contract';
import { sitePages } from '../site/routes.ts';

const others: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/openapi.json'],
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/metrics'],
  ...sitePages,
];

const routes = [...Object.values(contract).map(({ method, path }) => [method, path] as const), ...others].map(
  ([method, path]) => ({
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    path,
    pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
  }),
);

/** All paths, with `:slug` and `:code` where they vary. */
export const paths: readonly string[] = [...new Set(routes.map(({ path }) => path))];

/** The methods that a path accepts; empty if there is no such path. A literal path hides a pattern. */
export const allowedMethods = (path: string): string[] => {
  const literal = routes.filter((route) => route.path === path);
  const matching = literal.length > 0 ? literal : routes.filter(({ pattern }) => pattern.test(path));
  const methods = [...new Set(matching.flatMap((route) => route.methods))];
  return methods.length === 0 ? [] : [...methods, 'OPTIONS'];
};

const literals = new Map(routes.filter(({ path }) => !path.includes(':')).map(({ path }) => [path, path]));
const patterns = routes.filter(({ path }) => path.includes(':'));

/** The route of a path as the contract writes it: one of few values, for metrics. */
export const routeOf = (path: string): string =>
  literals.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.path ?? 'none';
