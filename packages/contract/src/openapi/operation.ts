/** One operation of the document: parameters, body, responses. */
import type { AppRoute } from '@ts-rest/core';
import * as z from 'zod';
import { problems, type ProblemCode } from '../problem.ts';
import { routeHeaders, type RouteFacts } from '../route.ts';
import { exampleOf, schemaOf, type Components, type Json } from './schema.ts';

/** A route and its facts. */
export type Route = AppRoute & { metadata: RouteFacts };

const retryAfter = { type: 'integer', minimum: 0, description: 'Seconds to wait before retrying.' };
const waitStatuses = new Set(['429', '503']);

/** Makes the operation of a route. */
export const operationOf = (name: string, route: Route, components: Components): Json => {
  const { bodyInQuery = false } = route.metadata;
  const body = 'body' in route && route.body instanceof z.ZodObject ? route.body : undefined;
  const cached = route.metadata.headers?.includes('ETag') === true;
  const headers = headersOf(
    Object.fromEntries((route.metadata.headers ?? []).map((header) => [header, routeHeaders[header]])),
  );
  return {
    operationId: name,
    tags: [route.metadata.tag],
    summary: route.summary,
    description: route.description ?? `${route.summary ?? name}.`,
    parameters: [
      ...parametersOf(route.pathParams, 'path', components),
      ...parametersOf(route.query, 'query', components),
      ...(bodyInQuery ? parametersOf(body?.partial(), 'query', components) : []),
      ...parametersOf(route.headers, 'header', components),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !bodyInQuery && route.metadata.bodyOptional !== true,
            content: contentOf('application/json', body, 'input', components),
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.responses).map(([status, body]) => [
          status,
          status === '200' ? success(body, headers, components) : problemResponse(status, codesOf(body)),
        ]),
      ),
      ...(cached ? { 304: { description: 'Nothing has changed since the `ETag` that was sent.', headers } } : {}),
      default: { $ref: '#/components/responses/Other' },
    },
  };
};

const success = (body: unknown, headers: Json, components: Components): Json => {
  const { contentType, schema } = isOther(body)
    ? { contentType: body.contentType, schema: body.body }
    : { contentType: 'application/json', schema: body };
  return { description: 'Success.', headers, content: contentOf(contentType, schema, 'output', components) };
};

/**
 * Makes an error response. All problems share one schema, to which codes may be added; the examples of a status show
 * its codes.
 */
const problemResponse = (status: string, codes: readonly ProblemCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${problems[code].meaning}`).join('\n\n'),
  ...(waitStatuses.has(status) ? { headers: headersOf({ 'Retry-After': retryAfter }) } : {}),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

/** Makes the response for problems that a request may get before it reaches a route, so that no route names them. */
export const otherProblems = (routes: readonly Route[]): Json => {
  const named = routes.flatMap(({ responses }) => Object.values(responses).flatMap(codesOf));
  return problemResponse(
    'default',
    Object.keys(problems)
      .filter(isCode)
      .filter((code) => !named.includes(code)),
  );
};

const contentOf = (type: string, schema: unknown, io: 'input' | 'output', components: Components): Json => {
  const body = schemaOf(schema, io, components);
  return { [type]: { schema: body, example: exampleOf(body, components) } };
};

/** Converts response headers to what the document shows. */
const headersOf = (headers: Record<string, { readonly description: string; readonly type: string }>): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, { description, ...schema }]) => [name, { description, schema }]),
  );

const isOther = (body: unknown): body is { contentType: string; body: unknown } =>
  typeof body === 'object' && body !== null && 'contentType' in body;

const isCode = (code: string): code is ProblemCode => code in problems;

const codesOf = (body: unknown): ProblemCode[] => {
  const code: unknown = body instanceof z.ZodObject ? body.shape.code : undefined;
  return code instanceof z.ZodEnum ? code.options.map(String).filter(isCode) : [];
};

/** Makes the parameters of one place. Lists are sent by repeating the name. */
const parametersOf = (shape: unknown, place: 'path' | 'query' | 'header', components: Components): Json[] => {
  const fields: unknown = shape instanceof z.ZodObject ? shape.shape : (shape ?? {});
  return Object.entries(fields as Record<string, z.ZodType>).map(([name, schema]) => {
    const { description, examples, ...rest } = schemaOf(schema, 'output', components);
    const required = place === 'path' || !schema.safeParse(undefined).success;
    return {
      name,
      in: place,
      required,
      description,
      // The default for a query, written out: generators have clients that write arrays as `name[]`.
      ...(place === 'query' ? { style: 'form', explode: true } : {}),
      schema: rest,
      // Tools send every example, so an optional parameter whose example would find nothing has none.
      ...(required || examples !== undefined ? { example: exampleOf({ examples, ...rest }, components) } : {}),
    };
  });
};
