/** The bodies and responses in docs/API.md: the examples of the OpenAPI document. */
import { openApi } from '@bot-directory/contract';
import { withGenerated } from './banner.ts';

type Content = Readonly<Record<string, { readonly example?: unknown }>>;
type Operation = {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly headers?: Readonly<Record<string, unknown>>; readonly content?: Content }>
  >;
};

/** Updates the examples of the page. */
export const withExamples = (page: string): string => {
  const paths = Object.entries((openApi() as unknown as { paths: Record<string, Record<string, Operation>> }).paths);
  const sections = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(`${method.toUpperCase()} ${path}`, operation)),
  );
  return withGenerated(page, sections.join('\n\n'));
};

const section = (title: string, { requestBody, responses }: Operation): string => {
  const names = Object.keys(responses['200']?.headers ?? {}).map((name) => `\`${name}\``);
  const headers = names.length === 0 ? '' : `, with ${names.join(', ')}`;
  return [
    `### \`${title.replace(/\{(\w+)\}/g, '<$1>')}\``,
    ...(requestBody === undefined ? [] : ['Body:', block(requestBody.content)]),
    `Response${headers}:`,
    block(responses['200']?.content ?? {}),
  ].join('\n\n');
};

const block = (content: Content): string => {
  const [[type, { example }] = ['', {}]] = Object.entries(content);
  const isJson = type === 'application/json';
  return `\`\`\`${isJson ? 'json' : ''}\n${isJson ? JSON.stringify(example, undefined, 2) : String(example).trim()}\n\`\`\``;
};
