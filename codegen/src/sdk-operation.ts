/** One operation of the contract as code of the SDK: its input, its problems, and the function that calls it. */
import type { contract } from '@bot-directory/contract';
import * as z from 'zod';
import { renderMembers, renderType, type Schema } from './render-type.ts';
import { jsonSchema, problemMember, type Shapes } from './shapes.ts';

type ContractRoute = (typeof contract)[keyof typeof contract];

/** What the generated code needs to know of an operation. */
export interface Operation {
  name: string;
  route: ContractRoute;
  /** Path parameters, query and body as one object; undefined if there are none. */
  input: Schema | undefined;
  /** Undefined for the event stream, which is not JSON. */
  answer: Schema | undefined;
  /** Each documented error as a member: status and type. */
  problems: string[];
}

/** Reads an operation from its route. */
export const readOperation = (name: string, route: ContractRoute, shapes: Shapes): Operation => {
  if (route.method !== 'GET' && route.metadata.repeatable !== true)
    throw new TypeError(`${name}: the SDK repeats a request that it got no answer to, so a write must be repeatable`);
  const answer: unknown = route.responses[200];
  return {
    name,
    route,
    input: inputOf(name, route, shapes),
    answer: answer instanceof z.ZodType ? namedAnswer(name, jsonSchema(answer, 'output', shapes)) : undefined,
    problems: Object.entries<unknown>(route.responses).flatMap(([status, schema]) =>
      status !== '200' && schema instanceof z.ZodType ? [problemMember(status, schema, shapes)] : [],
    ),
  };
};

const namedAnswer = (name: string, answer: Schema): Schema => {
  if ((answer.items ?? answer).$ref === undefined)
    throw new TypeError(`${name}: give the schema of its response a name (meta id)`);
  return answer;
};

const inputOf = (name: string, route: ContractRoute, shapes: Shapes): Schema | undefined => {
  const sources = ['pathParams', 'query', 'body'].map((part): unknown => Reflect.get(route, part));
  const parts = sources.flatMap((schema) => (schema instanceof z.ZodType ? [jsonSchema(schema, 'input', shapes)] : []));
  const names = parts.flatMap(({ properties = {} }) => Object.keys(properties));
  if (new Set(names).size < names.length)
    throw new TypeError(`${name}: two parameters share a name, so its input can't be one object`);
  if (names.length === 0) return undefined;
  return {
    properties: Object.fromEntries(parts.flatMap(({ properties = {} }) => Object.entries(properties))),
    required: parts.flatMap((part) => part.required ?? []),
  };
};

/** Lets a bundler drop a call whose result nobody uses. */
const pure = '/* @__PURE__ */';

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const inputName = (name: string) => `${pascal(name)}Input`;
const problemsName = (name: string) => `${pascal(name)}Problems`;

/** Renders the operation's interfaces. */
export const typesOf = ({ name, route, input, problems }: Operation): string[] => {
  // A call that sends the ETag of a response may get a 304.
  const unchanged =
    route.metadata.headers?.includes('ETag') === true
      ? '/** Unchanged: the call sent this ETag in `If-None-Match`. */\n304: undefined;\n'
      : '';
  const statuses = unchanged + problems.join('');
  return [
    ...(input === undefined
      ? []
      : [`/** What \`${name}\` takes. */\nexport interface ${inputName(name)} ${renderMembers(input, 'input')}\n`]),
    `/** Responses of \`${name}\` other than success, by status. */\nexport interface ${problemsName(name)} {\n${statuses}}\n`,
  ];
};

/** Lists the interfaces that the operation's function refers to, by name. */
export const typeNamesIn = ({ name, input, answer }: Operation): string[] => {
  if (answer === undefined) return [];
  return [
    renderType(answer, 'output').replace('[]', ''),
    problemsName(name),
    ...(input === undefined ? [] : [inputName(name)]),
  ];
};

/** Renders the operation's function; for the event stream, only its route. */
export const sourceOf = (operation: Operation): string => {
  const { name, route, input, answer } = operation;
  const text = [route.summary, Reflect.get(route, 'description')]
    .filter((part) => part !== undefined)
    .join('. ')
    .replace(/\.?$/, '.');
  if (answer === undefined)
    return `/** ${text} Read by \`streamEvents\`. */\nexport const ${name}Route: Route = ${routeLiteral(operation)};\n`;
  const optional = input?.required?.length === 0 ? '?' : '';
  const types = `${renderType(answer, 'output')}, ${problemsName(name)}`;
  const literal = routeLiteral(operation);
  const declared =
    input === undefined
      ? ` = (connection: Connection, options?: CallOptions): Call<${types}> =>
  operation<${types}>(${literal})(connection, {}, options)`
      : `: (connection: Connection, input${optional}: ${inputName(name)}, options?: CallOptions) => Call<${types}> =
  ${pure} operation(${literal})`;
  return `/** ${text} */\nexport const ${name}${declared};\n`;
};

const routeLiteral = ({ name, route, input, answer }: Operation): string => {
  const list = answer?.type === 'array' ? ', list: true' : '';
  // A wrong name among optional ones would be ignored, and a list without its filter returns everything.
  const isFilter = route.method === 'GET' && input?.required?.length === 0;
  const names = isFilter ? Object.keys(input.properties ?? {}).map((one) => `'${one}'`) : [];
  const query = names.length === 0 ? '' : `, query: [${names.join(', ')}]`;
  const { earlierSuccess } = route.metadata;
  const words = earlierSuccess === undefined ? [] : [earlierSuccess.problem, ...earlierSuccess.members];
  const earlier =
    words.length === 0 ? '' : `, earlier: ${pure} earlierSuccess(${words.map((word) => `'${word}'`).join(', ')})`;
  // An error of the stream is JSON all the same.
  const accept = answer === undefined ? ", accept: 'text/event-stream, application/problem+json'" : '';
  return `{ name: '${name}', method: '${route.method}', path: '${route.path}'${query}${accept}${list}${earlier} }`;
};
