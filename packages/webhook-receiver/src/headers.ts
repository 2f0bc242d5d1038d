/** Reads one header from the header object of any framework. */
import { InvalidHeaderError } from './errors.ts';

/** A `Headers` object, or a record with names in any case, as Node, Fastify and Lambda provide it. */
export type HeaderSource =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns all values of a header. `name` is in lower case. */
export const headerValues = (headers: HeaderSource, name: string): string[] => {
  if (typeof headers.get === 'function') return [headers.get(name) ?? []].flat();
  return Object.entries(headers).flatMap(([key, value]: [string, string | readonly string[] | undefined]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  );
};

/**
 * Returns the header's value; undefined if it is missing. Refuses a header sent twice: there is no safe choice between
 * the two.
 */
export const readHeader = (headers: HeaderSource, name: string): string | undefined => {
  const values = headerValues(headers, name);
  if (values.length > 1) throw new InvalidHeaderError(name);
  return values[0];
};
