/** Reads one header from whatever a framework calls its headers. One that came twice is refused, not guessed at. */
import { InvalidHeaderError } from './errors.ts';

/** A `Headers`, or a record in any case, as Node, Fastify and Lambda give it. */
export type HeaderSource =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The header's value; undefined when it did not come. `name` is in lower case. */
export const readHeader = (headers: HeaderSource, name: string): string | undefined => {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const values = Object.entries(headers).flatMap(([key, value]: [string, string | readonly string[] | undefined]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  );
  if (values.length > 1) throw new InvalidHeaderError(name);
  return values[0];
};
