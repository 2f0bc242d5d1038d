/**
 * What pages say of the contract: tables of a Bot's fields and of errors, and of each operation its parameters, alone
 * or with its body and an example of its response. A mark of the page names what stands there.
 */
import { limits, openApi, problems } from '@bot-directory/contract';

type Schema = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
type Parameter = { readonly name: string; readonly in: string; readonly description: string; readonly schema: Schema };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type Operation = {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly headers?: Readonly<Record<string, unknown>>; readonly content?: Content }>
  >;
};

/** Values of parameters. The document has no examples of optional ones, because tools send them. */
const samples: Readonly<Record<string, string>> = {
  slug: 'weekly-seo-report',
  limit: '20',
  cursor: 'MTc2',
  category: 'Marketing',
  integration: 'google-sheets',
  author: '@ada_l',
  q: 'weekly report',
  link: 'https://bots.example.com/bot/weekly-seo-report',
  updated_since: '2026-11-21T05:56:35.166Z',
  sort: 'installs',
  include: 'updated_at,template_url',
  after: 'evt_01M7YAV3PY95EN1YP35H8TDBRX',
  'Last-Event-ID': 'evt_01M7YAV3PY95EN1YP35H8TDBRX',
  type: 'bot.created',
  url: 'https://hooks.example.com/bots',
};

/** What a parameter without a value means. */
const defaults: Readonly<Record<string, string>> = {
  'listBots sort': 'newest',
  'listEvents limit': String(limits.pageSize),
};

const marked = /(<!-- Written by `npm run generate`: ([^.]*)\. -->\n).*?(<!-- End of what is generated\. -->)/gs;

const { paths, components } = openApi() as unknown as Document;

/** Updates what the marks of the page name. */
export const withReference = (page: string): string => {
  const parts = new Map([['errors', errorTable()], ['Bot', fieldTable()], ...inputTables(), ...operationSections()]);
  return page.replace(marked, (_, begin: string, names: string, end: string) => {
    const texts = names.split(', ').map((name) => {
      const text = parts.get(name);
      if (text === undefined) throw new TypeError(`nothing of the contract is named ${name}, or it stands there twice`);
      parts.delete(name);
      return text;
    });
    return `${begin}\n${texts.join('\n\n')}\n\n${end}`;
  });
};

/** A cell: what would end it is escaped, and outside of code what would begin a tag. */
const cellOf = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .split('`')
    .map((part, i) => (i % 2 === 0 ? part.replaceAll('<', '\\<') : part))
    .join('`');

const table = (head: readonly string[], ...rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cellOf))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

const code = (text: string): string => `\`${text}\``;

const errorTable = (): string =>
  table(
    ['status', 'code', 'when', 'what to do'],
    ...Object.entries(problems).map(([name, { status, meaning, remedy }]) => [
      String(status),
      code(name),
      meaning,
      remedy,
    ]),
  );

const fieldTable = (): string =>
  table(['field', 'type', 'what it is'], ...rowsOf(components.schemas['BotDetails'] ?? {}));

const rowsOf = ({ properties = {} }: Schema): string[][] =>
  Object.entries(properties).map(([name, schema]) => [code(name), typeOf(schema), schema.description ?? '']);

/** Writes a type as a phrase. */
const typeOf = ({ type, format, anyOf, items, enum: values, const: value, ...bounds }: Schema): string => {
  if (value !== undefined) return code(value);
  if (values !== undefined) return values.map(code).join(', ');
  if (anyOf !== undefined) {
    const several = anyOf.find((one) => one.type === 'array');
    const [one] = anyOf;
    if (several !== undefined && one?.type === 'string') return `${typeOf(one)}; repeatable`;
    return anyOf.map(typeOf).join(' or ');
  }
  if (type === 'array') return `array of ${items === undefined ? 'values' : typeOf(items)}`;
  const name = [type ?? 'value'].flat().join(' or ');
  const { maxLength, minimum, maximum } = bounds;
  if (maxLength !== undefined) return `${name}, at most ${maxLength} characters`;
  if (minimum !== undefined && maximum !== undefined && minimum >= 0) return `${name}, ${minimum} to ${maximum}`;
  return format === undefined ? name : `${name} (${format})`;
};

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
);

/** Each operation's section, by its name. */
const operationSections = (): [string, string][] =>
  operations.map(({ title, operation }) => [operation.operationId, section(title, operation)]);

/** The tables of what each operation takes, by its name. */
const inputTables = (): [string, string][] =>
  operations.flatMap(({ operation: { operationId, parameters, requestBody } }) => [
    [`parameters of ${operationId}`, parameterTable(operationId, parameters)],
    [`body of ${operationId}`, bodyTable(requestBody)],
  ]);

const section = (title: string, { operationId, parameters, requestBody, responses }: Operation): string => {
  const names = Object.keys(responses['200']?.headers ?? {}).map(code);
  const headers = names.length === 0 ? '' : `, with ${names.join(', ')}`;
  return [
    `### ${code(title.replace(/\{(\w+)\}/g, '<$1>'))}`,
    ...(parameters.length === 0 ? [] : [parameterTable(operationId, parameters)]),
    ...(requestBody === undefined ? [] : ['Body:', bodyTable(requestBody), block(requestBody.content)]),
    `Response${headers}:`,
    block(responses['200']?.content ?? {}),
  ].join('\n\n');
};

const parameterTable = (operation: string, parameters: readonly Parameter[]): string =>
  table(
    ['parameter', 'type', 'default', 'example', 'what it does'],
    ...parameters.map(({ name, in: place, description, schema }) => {
      const sample = samples[name];
      if (sample === undefined) throw new TypeError(`${name} has no sample`);
      const initial = defaults[`${operation} ${name}`];
      const shown = place === 'query' ? code(name) : `${code(name)} (${place})`;
      return [shown, typeOf(schema), initial === undefined ? '' : code(initial), code(sample), description];
    }),
  );

/** Empty for a body that is not an object. */
const bodyTable = (body: Operation['requestBody']): string => {
  const { schema = {} } = Object.values(body?.content ?? {})[0] ?? {};
  const rows = rowsOf(schema).map(([name = '', type = '', what = '']) => [
    name,
    type.replace(/ or null$/, ''),
    schema.required?.includes(name.replaceAll('`', '')) === true ? 'yes' : '',
    what,
  ]);
  return rows.length === 0 ? '' : table(['field', 'type', 'required', 'what it is'], ...rows);
};

const block = (content: Content): string => {
  const [[type, { example }] = ['', { example: '' }]] = Object.entries(content);
  const isJson = type === 'application/json';
  return `\`\`\`${isJson ? 'json' : ''}\n${isJson ? JSON.stringify(example, undefined, 2) : String(example).trim()}\n\`\`\``;
};
