/** A call to a route that this version of the package does not know. */
import { type Call, operation } from './call.ts';
import { type CallOptions, type Connection, given } from './options.ts';

/** A route of the API, as documented. */
export interface CustomRoute {
  /** The HTTP method. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the base URL, with parameters as `:name`, such as `/api/bots/:slug/reviews`, and maybe a query. */
  path: string;
}

/**
 * Calls the route. The response has the type that the caller gives. The input fills the path's parameters; the rest
 * becomes the query of a GET or the JSON body of any other method. POST and PATCH are sent once, unless `retries` says
 * that they may be repeated.
 */
export const request = <Data, Problems = object>(
  connection: Connection,
  { method, path }: CustomRoute,
  input: object = {},
  options: CallOptions = {},
): Call<Data, Problems> => {
  const defaults = method === 'POST' || method === 'PATCH' ? { retries: 0 } : {};
  const call = operation<Data, Problems>({ name: `${method} ${path}`, method, path, any: true });
  return call(connection, input, { ...defaults, ...given(options) });
};
