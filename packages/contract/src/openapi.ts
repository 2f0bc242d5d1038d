/** The OpenAPI 3.1 document, made from the contract. Nothing is said here that the contract does not say. */
import type { AppRoute } from '@ts-rest/core';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import * as z from 'zod';
import { contract, contractVersion, writeRoutes } from './contract.ts';
import { eventSchemas } from './event.ts';
import type { RouteFacts, RouteHeader } from './route.ts';

type Json = { [key: string]: unknown };

const headerMeanings: Record<RouteHeader, string> = {
  ETag: 'Changes with the answer; send it back in `If-None-Match`.',
  'Last-Modified': 'When the directory last changed.',
  Link: 'RFC 8288: the next page, `rel="next"`. Absent on the last.',
  'X-Total-Count': 'How many entries match, over all pages.',
};
const waitStatuses = new Set(['429', '503']);

/** The document for a service at `baseUrl`. */
export const openApi = (baseUrl = 'http://localhost:3000'): OpenApi.Document => {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<AppRoute & { metadata: RouteFacts }>(contract)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(name, route, components);
  }
  for (const schema of Object.values(eventSchemas)) schemaOf(schema, 'output', components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Public Bot Directory API',
      version: contractVersion,
      description:
        'A public directory of bot templates. No key is needed and every origin is allowed. Errors are RFC 9457 problems.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    paths: paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))) as Record<
        string,
        OpenApi.SchemaObject
      >,
    },
  };
};

const operation = (name: string, route: AppRoute & { metadata: RouteFacts }, components: Json): Json => ({
  operationId: name,
  summary: route.summary,
  ...(route.description === undefined ? {} : { description: route.description }),
  parameters: [...parameters(route.pathParams, 'path', components), ...parameters(route.query, 'query', components)],
  ...('body' in route && route.body instanceof z.ZodType
    ? {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemaOf(route.body, 'input', components) } },
        },
      }
    : {}),
  responses: Object.fromEntries(
    Object.entries(route.responses).map(([status, body]) => [
      status,
      response(name, route.metadata, [status, body], components),
    ]),
  ),
});

const response = (name: string, facts: RouteFacts, [status, body]: [string, unknown], components: Json): Json => {
  if (status !== '200') {
    const headers = waitStatuses.has(status) ? { 'Retry-After': 'Seconds to wait.' } : {};
    return {
      description: `Problem: ${codesOf(body).join(', ')}`,
      headers: headerObjects(headers),
      content: { 'application/problem+json': { schema: schemaOf(body, 'output', components) } },
    };
  }
  const { contentType, schema } = isOther(body)
    ? { contentType: body.contentType, schema: body.body }
    : { contentType: 'application/json', schema: body };
  const headers = Object.fromEntries((facts.headers ?? []).map((header) => [header, headerMeanings[header]]));
  const described = name in writeRoutes ? 'Done.' : 'The answer.';
  return {
    description: described,
    headers: headerObjects(headers),
    content: { [contentType]: { schema: schemaOf(schema, 'output', components) } },
  };
};

const headerObjects = (headers: Record<string, string>): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

const isOther = (body: unknown): body is { contentType: string; body: unknown } =>
  typeof body === 'object' && body !== null && 'contentType' in body;

const codesOf = (body: unknown): string[] => {
  const code: unknown = body instanceof z.ZodObject ? body.shape.code : undefined;
  return code instanceof z.ZodEnum ? code.options.map(String) : [];
};

const parameters = (shape: unknown, place: 'path' | 'query', components: Json): Json[] => {
  if (!(shape instanceof z.ZodObject)) return [];
  return Object.entries(shape.shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const { description, ...rest } = schemaOf(schema, 'output', components) as { description?: string };
    return {
      name,
      in: place,
      required: place === 'path' || !schema.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
};

/** A schema as JSON Schema 2020-12; named schemas go to `components` and are referred to. */
const schemaOf = (schema: unknown, io: 'input' | 'output', components: Json): Json => {
  if (!(schema instanceof z.ZodType)) throw new TypeError('a contract schema must be a zod schema');
  const {
    $schema: _dialect,
    $defs = {},
    ...body
  } = z.toJSONSchema(schema, { io, reused: 'inline' }) as Json & { $defs?: Json };
  for (const [id, definition] of Object.entries($defs)) components[id] = point(open(definition));
  const id = (schema.meta() as { id?: string } | undefined)?.id;
  if (id === undefined) return point(open(body)) as Json;
  components[id] = point(open(body));
  return { $ref: `#/components/schemas/${id}` };
};

const point = (value: unknown): unknown =>
  replace(value, (key, inner) => (key === '$ref' ? String(inner).replace('#/$defs/', '#/components/schemas/') : inner));

// Answers may grow: a client generated from this document must not refuse a field it does not know.
const open = (value: unknown): unknown =>
  replace(value, (key, inner) => (key === 'additionalProperties' && inner === false ? undefined : inner));

const replace = (value: unknown, by: (key: string, inner: unknown) => unknown): unknown =>
  JSON.parse(JSON.stringify(value, by)) as unknown;
