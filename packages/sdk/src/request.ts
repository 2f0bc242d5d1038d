/** Turns an operation's input into a request. A path parameter cannot change which path is called. */

/** How an operation is sent over HTTP. */
export interface Route {
  /** The operation's name in the API's contract. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with parameters as `:name`. */
  readonly path: string;
  /** The only parameters that it takes, if others must be refused: an ignored filter would return everything. */
  readonly query?: readonly string[];
  /**
   * The media types of the response.
   * @default JSON
   */
  readonly accept?: string;
  /** The response is an array. */
  readonly list?: true;
  /** The response is any JSON, or empty. */
  readonly any?: true;
  /** Returns the success of an earlier attempt, if the errors of the last one and of those before it show that. */
  readonly earlier?: (
    error: unknown,
    before: readonly unknown[],
    input: { dry_run?: unknown },
    startedAtMs: number,
  ) => { data: object; response: Response; text: string } | undefined;
}

/** The request, the same in every attempt. */
export interface PreparedRequest {
  url: string;
  init: { method: string; redirect: 'follow' | 'manual'; body?: string };
  headers: Record<string, string>;
}

/**
 * Fills the path and puts the rest of the input into the query or the body. Throws a TypeError on an unsafe path
 * parameter, or an unknown name in a query.
 */
export const prepare = (
  { baseUrl, operation }: { baseUrl: string; operation: string },
  route: Route,
  input: object,
): PreparedRequest => {
  const rest = new Map<string, unknown>(Object.entries(input));
  // A query in the path stays as it is.
  const path = route.path.replace(/\?.*|:([a-z_]\w*)/gi, (found, name?: string) => {
    if (name === undefined) return found;
    const value = rest.get(name);
    rest.delete(name);
    return segment(name, value);
  });
  const { query } = route;
  for (const [name, value] of rest)
    if (query?.includes(name) === false && value !== undefined)
      throw new TypeError(`${operation} does not take "${name}", but ${query.join(', ')}`);
  const url = baseUrl + path;
  const { method, accept = 'application/json' } = route;
  if (method === 'GET')
    return { url: url + search(rest, path), init: { method, redirect: 'follow' }, headers: { accept } };
  const body = JSON.stringify(Object.fromEntries(rest));
  // Following a redirect can silently turn a POST into a GET.
  return { url, init: { method, redirect: 'manual', body }, headers: { accept, 'content-type': 'application/json' } };
};

const segment = (name: string, value: unknown): string => {
  // An empty segment means the collection, and URL parsers remove dots: each would call another operation.
  // Half a surrogate pair cannot be encoded.
  if (typeof value !== 'string' || /^\.{0,2}$|[\ud800-\udfff]/u.test(value))
    throw new TypeError(`${name} must be text, not '', '.' or '..'`);
  return encodeURIComponent(value);
};

// Not with `URLSearchParams`, which React Native has only in part.
const search = (query: Map<string, unknown>, path: string): string => {
  let text = '';
  let sign = path.includes('?') ? '&' : '?';
  for (const [name, value] of query) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined || item === null) continue;
      text += `${sign}${encode(name)}=${encode(item instanceof Date ? item.toISOString() : String(item))}`;
      sign = '&';
    }
  }
  return text;
};

/** Percent-encodes text. Half a surrogate pair becomes U+FFFD, as in `URLSearchParams`. */
const encode = (text: string): string => encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
