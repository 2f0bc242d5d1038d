/** Headers in every form that callers have them in. */

/** Headers as an object, as pairs, or as a `Headers`. Undefined values are left out. */
export type HeaderValues =
  | Headers
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | undefined>>;

type Given = HeaderValues | null | undefined | false;

/** Merges headers. Names are lower case in the result, and a later value replaces an earlier one. */
export const mergeHeaders = (...all: readonly Given[]): Record<string, string> => {
  const merged = new Map<string, string>();
  for (const given of all)
    for (const [name, value] of pairsOf(given || {})) if (value != null) merged.set(name.toLowerCase(), value);
  return Object.fromEntries(merged);
};

// The DOM library of TypeScript 5.4 does not know that `Headers` is iterable.
const pairsOf = (given: HeaderValues) =>
  Symbol.iterator in given ? (given as Iterable<readonly [string, string]>) : Object.entries(given);
