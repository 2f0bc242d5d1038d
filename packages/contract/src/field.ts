/**
 * Fields as the OpenAPI document shows them. Each has an example, from which the examples of bodies and responses are
 * made. Bounds of requests are stated here; the server enforces them and explains refusals.
 */
import * as z from 'zod';
import { limits } from './limits.ts';

/** Facts about a string that JSON Schema can express. */
type Facts = {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
};

/** Makes a text field. */
export const text = (description: string, example: string, facts: Facts = {}) =>
  z.string().meta({ description, examples: [example], ...facts });

/** Makes a field that is a text or null. */
export const textOrNull = (description: string, example: string | null, facts: Facts = {}) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example], ...facts });

/** Makes a field that is a whole number. */
export const count = (description: string, example: number) => z.int().meta({ description, examples: [example] });

/** Makes a field that is an instant: ISO 8601, UTC, with milliseconds. */
export const instant = (description: string) => text(description, '2026-11-21T05:56:35.166Z', { format: 'date-time' });

/** Makes a field for a URL that a caller sends. */
export const sentUrl = (description: string, example: string) =>
  text(description, example, { format: 'uri', maxLength: limits.urlLength });

/** Makes a text for an optional parameter. It has no example: tools send examples, and would find nothing. */
export const filter = (description: string, facts: Facts = {}) => z.string().meta({ description, ...facts });

/** The pattern of a social-platform handle that a caller sends. */
export const handlePattern = `^@?[A-Za-z0-9_]{1,${limits.authorLength}}$`;

/** An integration that a caller names. */
export const sentIntegration = z
  .string()
  .meta({ examples: ['Google Sheets'], minLength: 1, maxLength: limits.integrationLength });

/** A category that a caller names. */
export const sentCategory = z.string().meta({ examples: ['Marketing'], minLength: 1 });

/** Makes a list of names in a body. `maxItems` counts duplicates; the limits of a bot count only different names. */
export const entries = (item: z.ZodString, description: string) =>
  z.array(item).meta({ description, maxItems: limits.arrayEntries });

/** Makes a field of a body optional. Null means the same as no value, so that what was read can be sent again. */
export const omissible = <Field extends z.ZodType>(field: Field) => field.nullish().describe(field.description ?? '');

/** Makes a field of a registration that keeps its former value if it is left out. Null sets it to the default. */
export const resettable = <Field extends z.ZodType>(field: Field) =>
  field.nullish().describe([field.description, 'Null: the default.'].join(' ').trim());
