/** Reads one header from whatever a framework calls its headers. */
import { InvalidHeaderError } from './errors.ts';

/** A `Headers`, or a record in any case, as Node, Fastify and Lambda give it. */
export type HeaderSource =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Every value of a header. `name` is in lower case. */
export const headerValues = (headers: HeaderSource, name: string): string[] => {
  if (typeof headers.get === 'function') return [headers.get(name) ?? []].flat();
  return Object.entries(headers).flatMap(([key, value]: [string, string | readonly string[] | undefined]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  );
};

/** The header's value; undefined when it did not come. One that came twice is refused, not guessed at. */
export const readHeader = (headers: HeaderSource, name: string): string | undefined => {
  const values = headerValues(headers, name);
  if (values.length > 1) throw new InvalidHeaderError(name);
  return values[0];
};
