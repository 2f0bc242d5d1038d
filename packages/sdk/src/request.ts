/** From an operation's input to what is sent. A path parameter can't change which path is called. */

/** How an operation travels. */
export interface Route {
  /** The operation's name in the API's contract. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its parameters as `:name`. */
  readonly path: string;
  /** The response is an array. */
  readonly list?: true;
  /** The response is any JSON, or nothing. */
  readonly any?: true;
  /** The problem code by which a repeated request meets its own earlier success, then the members of that success. */
  readonly earlier?: readonly [code: string, ...members: string[]];
}

/** What is sent, the same in every attempt. */
export interface PreparedRequest {
  url: string;
  init: { method: string; redirect: 'follow' | 'manual'; body?: string };
  headers: Record<string, string>;
}

/** Fills the path and puts the rest of the input where the method carries it. Throws a TypeError on an unsafe path parameter. */
export const prepare = (baseUrl: string, route: Route, input: object): PreparedRequest => {
  const rest = new Map<string, unknown>(Object.entries(input));
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return segment(name, value);
  });
  const url = baseUrl + path;
  const { method } = route;
  if (method === 'GET') return { url: url + search(rest), init: { method, redirect: 'follow' }, headers: {} };
  const body = JSON.stringify(Object.fromEntries(rest));
  // A followed redirect can turn a POST into a GET without a word.
  return { url, init: { method, redirect: 'manual', body }, headers: { 'content-type': 'application/json' } };
};

const segment = (name: string, value: unknown): string => {
  // An empty segment is the collection, and URL parsers fold dots away: each would call another operation.
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} must be a string, not '', '.' or '..'`);
  return encodeURIComponent(value);
};

const search = (query: Map<string, unknown>): string => {
  const params = new URLSearchParams();
  for (const [name, value] of query) {
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null) params.append(name, String(item));
  }
  const text = String(params);
  return text && `?${text}`;
};
