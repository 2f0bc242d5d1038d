/**
 * Every path of the service and its methods, for 404, 405, `Allow` and the labels of metrics; and the one spelling that
 * every request target gets first, so that routes, lists, `Allow` and the log agree.
 */

/** A method and a path with `:name` where it varies. */
export type Route = { readonly method: string; readonly path: string };

/** A path as its route writes it, and what stands where it varies. */
export type Match = { readonly path: string; readonly params: Readonly<Record<string, string>> };

type Entry = { readonly path: string; readonly pattern: RegExp; readonly methods: string[] };

/** The paths of these routes. A literal path hides a pattern that it matches. */
export class Paths {
  readonly #literals = new Map<string, Entry>();
  readonly #patterns: Entry[] = [];

  constructor(routes: readonly Route[]) {
    const byPath = new Map<string, Entry>();
    for (const { method, path } of routes) {
      const entry = byPath.get(path) ?? { path, pattern: patternOf(path), methods: [] };
      byPath.set(path, entry);
      for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method])
        if (!entry.methods.includes(one)) entry.methods.push(one);
    }
    for (const entry of byPath.values())
      if (entry.path.includes(':')) this.#patterns.push(entry);
      else this.#literals.set(entry.path, entry);
  }

  /** All paths as their routes write them. */
  get all(): readonly string[] {
    return [...this.#literals.keys(), ...this.#patterns.map(({ path }) => path)];
  }

  /** The route of a path; `undefined` if there is none. */
  find(path: string): Match | undefined {
    const literal = this.#literals.get(path);
    if (literal !== undefined) return { path, params: {} };
    const entry = this.#entryOf(path);
    return entry && { path: entry.path, params: entry.pattern.exec(path)?.groups ?? {} };
  }

  /** The route of a path as one of few values, for metrics. */
  labelOf(path: string): string {
    return this.#entryOf(path)?.path ?? 'none';
  }

  /** The methods that a path accepts; empty if there is no such path. */
  allowedMethods(path: string): string[] {
    const entry = this.#entryOf(path);
    return entry === undefined ? [] : [...entry.methods, 'OPTIONS'];
  }

  #entryOf(path: string): Entry | undefined {
    const literal = this.#literals.get(path);
    if (literal !== undefined) return literal;
    for (const entry of this.#patterns) if (entry.pattern.test(path)) return entry;
    return undefined;
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

const absolute = /^https?:\/\/[^/?#]*/i;
const unreserved = /%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi;

/**
 * The origin form of a target (RFC 9112 §3.2), without a trailing slash and without unnecessary escapes (RFC 3986
 * §6.2.2.2). The query stays as it was sent. A `#`, which no target may have, is an escaped one: Express would drop it
 * with what follows.
 */
export const canonicalTarget = (sent: string): string => {
  const target = sent.includes('#') ? sent.replaceAll('#', '%23') : sent;
  const path = pathOf(target);
  if (path.startsWith('/') && !path.endsWith('/') && !path.includes('%')) return target;
  const decoded = path.replace(absolute, '').replace(unreserved, decodeURIComponent);
  const trimmed = /[^/]\/$/.test(decoded) ? decoded.slice(0, -1) : decoded;
  return `${trimmed === '' ? '/' : trimmed}${target.slice(path.length)}`;
};

/** The path of a target in origin form. */
export const pathOf = (target: string): string => {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
};
