/** The document as a client sees it: operations with their parameters and bodies, and responses checked against it. */
import { openApi } from '@bot-directory/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
  maxProperties?: number;
  required?: string[];
  examples?: unknown[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

/** A parameter. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
  example?: unknown;
}

interface Content {
  [type: string]: { schema: Schema; example?: unknown };
}

/** An operation with its method and path. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: { schema: Schema; example: unknown } | undefined;
  /** Status, or `default` → the possible responses. */
  responses: Record<string, { content?: Content; $ref?: string }>;
}

/** A received response. */
export interface Received {
  status: number;
  type: string | undefined;
  body: string;
}

interface RawOperation {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Operation['responses'];
}

const document = JSON.parse(JSON.stringify(openApi())) as {
  paths: Record<string, Record<string, RawOperation>>;
  components: { responses: Operation['responses'] };
};

/** Every operation of the document. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters, requestBody, responses }]) => {
    const json = requestBody?.content['application/json'];
    return {
      name: operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map(({ schema, ...parameter }) => ({
        ...parameter,
        schema: { ...schema, examples: [parameter.example ?? []].flat() },
      })),
      body: json === undefined ? undefined : { schema: json.schema, example: json.example },
      responses,
    };
  }),
);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'document');

const pointer = (...steps: string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Says how a response differs from the document; undefined if it does not. */
export const mismatch = (operation: Operation, { status, type, body }: Received): string | undefined => {
  const own = operation.responses[String(status)];
  if (own !== undefined && own.content === undefined) return body === '' ? undefined : 'a body where there is none';
  const content = own?.content ?? document.components.responses.Other?.content ?? {};
  const place =
    own === undefined
      ? pointer('components', 'responses', 'Other')
      : pointer('paths', operation.path, operation.method.toLowerCase(), 'responses', String(status));
  const declared = Object.keys(content).find((known) => type?.split(';', 1)[0] === known);
  if (declared === undefined) return `${status} as ${type}, not ${Object.keys(content).join(' or ')}`;
  if (!declared.endsWith('json')) return undefined;
  const validate = ajv.getSchema(`document#${place}${pointer('content', declared, 'schema')}`);
  if (validate === undefined) return `the document has no schema at ${place}`;
  return validate(JSON.parse(body)) === true ? undefined : ajv.errorsText(validate.errors);
};
