/** The OpenAPI 3.1 document, made from the contract. It adds nothing that the contract does not say. */
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type * as z from 'zod';
import { bot, type Bot } from './bot.ts';
import { contract, contractVersion } from './contract.ts';
import { withInstance, type Instance } from './openapi/instance.ts';
import { operationOf, otherProblems, type Route } from './openapi/operation.ts';
import { problemExamples } from './openapi/problem-examples.ts';
import { exampleOf, schemaOf, type Components, type Json } from './openapi/schema.ts';
import { webhooksOf } from './openapi/webhooks.ts';
import { problem } from './problem.ts';
import { tags } from './route.ts';

export type { Instance } from './openapi/instance.ts';

/** Returns the example of a schema that the document shows. Callers must not change it. */
export const exampleFor = <Shape extends z.ZodType>(schema: Shape): z.output<Shape> => {
  const components: Components = new Map();
  return exampleOf(schemaOf(schema, 'output', components), components) as z.output<Shape>;
};

/** The bot of the document's examples, for tests and samples of code. */
export const exampleBot: Bot = exampleFor(bot);

/** Makes the document for a service at `baseUrl`, with its own hosts and categories if `instance` names them. */
export const openApi = (baseUrl = 'http://localhost:3000', instance?: Instance): OpenApi.Document => {
  const components: Components = new Map();
  const paths: Record<string, Json> = {};
  schemaOf(problem, 'output', components);
  for (const [name, route] of Object.entries<Route>(contract)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(name, route, components);
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Public Bot Directory API',
      version: contractVersion,
      description:
        'A public directory of bot templates. No key is needed and every origin is allowed. Errors are RFC 9457 problems.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooksOf(components),
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: { Other: otherProblems(Object.values<Route>(contract)) },
      examples: problemExamples(baseUrl),
    },
  };
  // Linters and generators check it in the tests; openapi-typescript's types do not allow arbitrary JSON.
  const made: unknown = instance === undefined ? document : withInstance(document, baseUrl, instance);
  return made as OpenApi.Document;
};
