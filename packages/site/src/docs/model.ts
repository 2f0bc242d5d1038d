/**
 * The API reference as it is shown: operations in groups, types as phrases, an example with curl and the SDK for each.
 */
import type { OperationName } from '@bot-directory/contract';
import type { ApiResponse, ApiDocument, Examples, Operation, Schema } from './document.ts';

/** An operation with its method and path. */
export type Listed = Operation & { readonly id: string; readonly method: string; readonly path: string };

/** Operations that belong together. */
export type Group = { readonly name: string; readonly operations: readonly Listed[] };

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Groups by tag, or by the second part of the path if the document has no tags. */
export const groupsOf = (document: ApiDocument): Group[] => {
  const groups = new Map<string, Listed[]>((document.tags ?? []).map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (operation === undefined) continue;
      const name = operation.tags?.[0] ?? (path.split('/')[2] ?? 'api').replace(/^./, (letter) => letter.toUpperCase());
      const listed = {
        ...operation,
        responses: responsesOf(document, operation),
        id: operation.operationId ?? `${method}-${path}`,
        method,
        path,
      };
      groups.set(name, [...(groups.get(name) ?? []), listed]);
    }
  }
  return [...groups]
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => ({ name, operations }));
};

const nameOf = ({ $ref }: { readonly $ref?: string }): string => $ref?.split('/').at(-1) ?? '';

/** Returns an operation's responses by status, with their references resolved. */
const responsesOf = ({ components }: ApiDocument, { responses = {} }: Operation): Record<string, ApiResponse> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const whole = components.responses?.[nameOf(response)] ?? response;
      const content = Object.entries(whole.content ?? {}).map(([type, { examples = {}, ...rest }]) => [
        type,
        { ...rest, examples: resolved(examples, components.examples ?? {}) },
      ]);
      return [status, { ...whole, content: Object.fromEntries(content) as ApiResponse['content'] }];
    }),
  );

const resolved = (examples: Examples, all: Examples): Examples =>
  Object.fromEntries(Object.entries(examples).map(([name, example]) => [name, all[nameOf(example)] ?? example]));

/** An error that an operation may return, and a response with it. */
export type ErrorOf = { readonly status: string; readonly code: string; readonly example: unknown };

/** Lists an operation's errors, without those of any request, such as one to a path that does not exist. */
export const errorsOf = ({ responses = {} }: Operation): ErrorOf[] =>
  Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content['application/problem+json']?.examples ?? {}).map(([code, { value }]) => ({
        status,
        code,
        example: value,
      })),
    );

/** The number of operations from which an error is shown once for all of them. */
const leastShared = 5;

/** Lists the errors that many operations may return. */
export const sharedErrors = (groups: readonly Group[]): ErrorOf[] => {
  const all = groups.flatMap(({ operations }) => operations.flatMap(errorsOf));
  const once = new Map(all.map((error) => [error.code, error]));
  return [...once.values()]
    .filter(({ code }) => all.filter((other) => other.code === code).length >= leastShared)
    .sort((a, b) => (a.status < b.status ? -1 : 1));
};

/** A type in words, split where it names a schema. */
export type TypePart = string | { readonly schema: string };

/** Describes a type in words: `string or null`, `array of [Bot]`. */
export const typeOf = (schema: Schema | undefined): TypePart[] => {
  if (schema === undefined) return ['anything'];
  if (schema.$ref !== undefined) return [{ schema: schema.$ref.split('/').at(-1) ?? '' }];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ');
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return [schema.enum.map((value) => JSON.stringify(value)).join(' or ')];
  if (schema.type === 'array') return ['array of ', ...typeOf(schema.items)];
  if (typeof schema.type === 'string') return [schema.type + rangeOf(schema)];
  return [schema.type?.join(' or ') ?? 'anything'];
};

const rangeOf = ({ minimum, maximum }: Schema): string => {
  const isNamed = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isNamed ? ` ${minimum}–${maximum}` : '';
};

const joined = (parts: readonly TypePart[][], between: string): TypePart[] =>
  parts.flatMap((part, i) => (i === 0 ? part : [between, ...part]));

/** A property of an object. */
export type Property = {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
};

/** Lists the properties of an object, or of the objects in a list. */
export const propertiesOf = (schema: Schema | undefined): Property[] => {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.has(name),
  }));
};

/** Returns the one schema of a body, whatever its media type. */
export const schemaIn = (body: { readonly content?: ApiResponse['content'] } | undefined): Schema | undefined =>
  Object.values(body?.content ?? {})[0]?.schema;

type Hosts = { readonly template: string; readonly social: string };

/** Returns a value to send for a field: with this directory's hosts, otherwise the document's own example. */
const exampleOf = (operation: Listed, name: string, hosts: Hosts): unknown => {
  if (name === 'link') return `https://${hosts.template}/bot/<template_id>`;
  if (name === 'url' && operation.path === '/api/feed') return `https://${hosts.social}/<handle>/status/<status_id>`;
  if (name === 'url') return 'https://hooks.example.com/bots';
  const example = operation.requestBody?.content['application/json']?.example;
  const value = Object.entries(example ?? {}).find(([field]) => field === name)?.[1] as unknown;
  return value ?? `<${name}>`;
};

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (names: readonly { readonly name: string }[], operation: Listed, hosts: Hosts): Fields =>
  Object.fromEntries(names.map(({ name }) => [name, exampleOf(operation, name, hosts)]));

/** The required fields of the body. */
const bodyOf = (operation: Listed, hosts: Hosts): Fields =>
  fieldsOf(
    propertiesOf(schemaIn(operation.requestBody)).filter(({ isRequired }) => isRequired),
    operation,
    hosts,
  );

const requiredIn = (place: string, { parameters = [] }: Listed) =>
  parameters.filter((one) => one.in === place && one.required === true);

/** Writes a command to paste into a shell. */
export const curlOf = (operation: Listed, baseUrl: string, hosts: Hosts): string => {
  const path = operation.path.replace(/\{(\w+)\}/g, '<$1>');
  const search = requiredIn('query', operation)
    .map(({ name }) => `${name}=${encodeURIComponent(String(exampleOf(operation, name, hosts)))}`)
    .join('&');
  const address = `'${baseUrl}${path}${search === '' ? '' : `?${search}`}'`;
  if (operation.requestBody === undefined) return `curl -sS${operation.path.endsWith('/stream') ? 'N' : ''} ${address}`;
  const method = operation.method === 'post' ? '' : ` -X ${operation.method.toUpperCase()}`;
  return `curl -sS${method} ${address} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(bodyOf(operation, hosts))}'`;
};

/** The method of the SDK's client for each operation. */
const sdkMethods: Readonly<Record<OperationName, string>> = {
  listBots: 'bots.list',
  countFacets: 'bots.facets',
  getBot: 'bots.get',
  submitBot: 'bots.submit',
  addIntegrations: 'bots.addIntegrations',
  refreshBot: 'bots.refresh',
  reportBot: 'bots.report',
  listPosts: 'feed.list',
  addPost: 'feed.add',
  reportPost: 'feed.report',
  listCategories: 'categories',
  listIntegrations: 'integrations',
  addWebhook: 'webhooks.add',
  testWebhook: 'webhooks.test',
  removeWebhook: 'webhooks.remove',
  getWebhookStatus: 'webhooks.status',
  listWebhookKeys: 'webhooks.keys',
  listEvents: 'events.list',
  streamEvents: 'events.stream',
};

/** Writes the same request as `curlOf`, with the client that the page's first sample creates. */
export const sdkCallOf = (operation: Listed, hosts: Hosts): string => {
  const { [operation.id as OperationName]: method } = sdkMethods;
  const input = {
    ...fieldsOf(requiredIn('path', operation), operation, hosts),
    ...fieldsOf(requiredIn('query', operation), operation, hosts),
    ...bodyOf(operation, hosts),
  };
  const call = `directory.${method}(${Object.keys(input).length === 0 ? '' : literal(input)})`;
  return operation.path.endsWith('/stream')
    ? `for await (const event of ${call}) console.log(event.type, event.data);`
    : `const result = await ${call};`;
};

/** Writes a value as JavaScript. */
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return `'${String(value)}'`;
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${literal(inner)}`)
    .join(', ')} }`;
};

/** Returns an example of the body of an operation's success. */
export const successOf = ({ responses = {} }: Listed): string => {
  const [{ example = '' } = {}] = Object.values(responses['200']?.content ?? {});
  return typeof example === 'string' ? example.trim() : JSON.stringify(example, undefined, 2);
};

/** Lists every header of a response, with its meaning. */
export const headersOf = (groups: readonly Group[]): [name: string, meaning: string][] => {
  const all = groups.flatMap(({ operations }) =>
    operations.flatMap(({ responses = {} }) =>
      Object.values(responses).flatMap(({ headers = {} }) => Object.entries(headers)),
    ),
  );
  return [...new Map(all.map(([name, { description = '' }]) => [name, description]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
};
