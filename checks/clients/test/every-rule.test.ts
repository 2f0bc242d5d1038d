/**
 * Every rule of the contract's inputs, at every door: each field of each operation gets each of the same values by
 * HTTP, MCP, forms, feeds, the command line and the SDK. Each refuses the fields that HTTP refuses.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contract, limits, mcpTools, type OperationName, type Problem } from '@bot-directory/contract';
import * as sdk from '@bot-directory/sdk';
import { operatorOf } from '@bot-directory/testing/operator';
import { useStarted } from '@bot-directory/testing/use-started';
import { startSite } from '@bot-directory/testing/site';

type Values = Readonly<Record<string, unknown>>;
/** The names of the refused fields, in order; `undefined` where a door can't be sent the values. */
type Refused = readonly string[] | undefined;
type Door = (values: Values) => Promise<Refused>;

let valid: Readonly<Record<string, Values>>;
const site = useStarted(() => startSite({ settings: { BOT_CATEGORIES: 'Marketing,Sales,Design' } }));
beforeAll(async () => {
  const url = site.receiver.url('/hook');
  const post = { url: 'https://x.com/ada/status/1' };
  for (const name of ['Known', 'Edited']) await site.publish(name);
  await site.post('/api/feed', post);
  await site.post('/api/webhooks/bots', { url });
  valid = {
    submitBot: { link: site.link(site.provider.template({ name: 'New' })), dry_run: true },
    addIntegrations: { integrations: ['slack'] },
    reportBot: { reason: 'spam' },
    reportPost: { ...post, reason: 'spam' },
    addPost: post,
    addWebhook: { url },
    getWebhookStatus: { url },
    testWebhook: { url },
    removeWebhook: { url: site.receiver.url('/none') },
  };
});

const operations = Object.keys(contract) as OperationName[];
const pathOf = (name: OperationName): string => contract[name].path.replace(':slug', 'known');
const isRead = (name: OperationName): boolean => contract[name].method === 'GET';

/** A field's schema, without the `null` that stands for an absent value. */
type Schema = {
  readonly type?: string;
  readonly anyOf?: Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
const fieldsOf = (name: OperationName): [string, Schema][] => {
  const route = contract[name];
  const input = 'body' in route ? route.body : 'query' in route ? route.query : z.object({});
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
  const present = (schema: Schema): Schema => {
    const [first, ...more] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [schema];
    return more.find(({ type }) => type === 'array') ?? first ?? schema;
  };
  return Object.entries(properties).map(([field, schema]) => [field, present(schema)]);
};

const many = Array.from({ length: limits.arrayEntries + 1 }, (_, i) => `name-${i}`);
const values: readonly unknown[] = [
  [null, '', ' ', 'nonsense', 'Slack', 'marketing', '@ada', 'x'.repeat(limits.urlLength + 1), '2026-01-01', '[]'],
  ['a\u0000b', 'a\u202Eb', 'a\u200Bb', 'e\u0301', '\uD800', '%', '1', '0', '1e1', ' 1', 'true', 'https://x.com/'],
  [0, 1, -1, 1.5, 1e9, true, false, {}, { a: 1 }, { 'X-Api-Key': 'a' }, { Host: 'a' }, { 'X-Api-Key': 'ä' }],
  [[], [''], [' '], ['nonsense'], ['Slack', 'slack'], ['marketing', 'MARKETING'], ['Sales', 'Design', 'Marketing']],
  [[null], [5], [[]], [{}], ['a\u0000b'], ['Slack', ''], many, many.map(() => 'slack')],
].flat();

/** One field of an input that differs from what is valid, or a name that no input has. */
type Case = { readonly field: string; readonly sent: Values };
const casesOf = (name: OperationName): Case[] => {
  const one = (field: string, value: unknown): Case => ({ field, sent: { ...valid[name], [field]: value } });
  const foreign = name === 'listBots' ? [one('query', 'parrot'), one('page', '2'), one('tags', 'SEO')] : [];
  const own = fieldsOf(name).flatMap(([field, { properties = {} }]) => [
    ...values.map((value) => one(field, value)),
    one(field, undefined),
    ...Object.keys(properties).flatMap((part) => values.map((value) => one(field, { [part]: value }))),
  ]);
  return [...own, ...foreign];
};

const namesOf = (errors: Problem['errors'] = []): string[] =>
  [...new Set(errors.map(({ pointer }) => pointer.replace(/^[/?]/, '').split('/', 1)[0] ?? ''))].sort();
const refusedBy = ({ code, errors }: Partial<Problem>): string[] => (code === 'invalid_request' ? namesOf(errors) : []);
const problemOf = async (response: Response): Promise<string[]> => {
  if (!response.ok) return refusedBy((await response.json()) as Problem);
  await response.body?.cancel();
  return [];
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isSent = ([, value]: [string, unknown]): boolean => value !== null && value !== undefined;
const isWellFormed = (sent: Values): boolean => !JSON.stringify(sent).includes('\\ud800');

/** What a query says, or `undefined` if none can: a number is its digits, nothing is nested, and URLs have an end. */
const searchOf = (name: OperationName, sent: Values): string | undefined => {
  const types = new Map(fieldsOf(name).map(([field, { type }]) => [field, type]));
  const pairs = Object.entries(sent).filter(isSent);
  const canSay = ([field, value]: [string, unknown]): boolean =>
    isText(value) ||
    (types.get(field) === 'array' && isTexts(value)) ||
    (types.get(field) === 'integer' && typeof value === 'number');
  if (!pairs.every(canSay) || !isWellFormed(sent)) return undefined;
  const entries = pairs.flatMap(([field, value]) =>
    [value].flat().map((one): [string, string] => [field, String(one)]),
  );
  const search = new URLSearchParams(entries).toString();
  return search.length > 8_000 ? undefined : search;
};

/** What HTTP refuses, once for all doors. */
const knownOf = new Map<string, Promise<Refused>>();
const reference = (name: OperationName, sent: Values): Promise<Refused> => {
  const key = JSON.stringify([name, sent]);
  const known = knownOf.get(key) ?? byHttp(name)(sent);
  knownOf.set(key, known);
  return known;
};

const byHttp =
  (name: OperationName): Door =>
  async (sent) => {
    if (!isRead(name))
      return refusedBy((await site.api<Problem>(contract[name].method, pathOf(name), { body: sent })).body);
    const search = searchOf(name, sent);
    return search === undefined ? undefined : problemOf(await fetch(`${site.url}${pathOf(name)}?${search}`));
  };

const tools = new Map(Object.entries(mcpTools).map(([tool, { operation }]) => [operation as OperationName, tool]));
const byMcp =
  (name: OperationName): Door =>
  async (sent) => {
    const types = new Map(fieldsOf(name).map(([field, { type }]) => [field, type]));
    // A text in place of anything else is what agents write: it is read, as agents.test.ts says.
    if (Object.entries(sent).some(([field, value]) => isText(value) && (types.get(field) ?? 'string') !== 'string'))
      return undefined;
    // Tools always return what it adds.
    if ('include' in sent) return undefined;
    // An empty text is absent, and of a long one the first words count.
    if (
      Object.entries(sent).some(
        ([field, value]) => value === '' || (field === 'q' && isText(value) && value.length > limits.queryLength),
      )
    )
      return undefined;
    const slug = contract[name].path.includes(':slug') ? { slug: 'known' } : {};
    const params = { name: tools.get(name), arguments: { ...slug, ...sent } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { body } = await site.post<{ result: { isError?: boolean; content: { text: string }[] } }>('/mcp', call);
    const { isError = false, content } = body.result;
    return isError ? refusedBy(JSON.parse(content[0]?.text ?? '') as Problem) : [];
  };

type Called = { readonly safe?: () => Promise<{ error?: unknown }> } & AsyncIterable<unknown>;
type Call = (connection: sdk.Connection, input: Values, options: sdk.CallOptions) => Called;
const functions = sdk as unknown as Readonly<Partial<Record<OperationName, Call>>>;
const bySdk =
  (name: OperationName): Door =>
  async (sent) => {
    if (isRead(name) && searchOf(name, sent) === undefined) return undefined;
    const slug = contract[name].path.includes(':slug') ? { slug: 'known' } : {};
    const done = new AbortController();
    const hooks = {
      onResponse: ({ response }: { response: Response }) => {
        if (response.ok && isStream) done.abort();
      },
    };
    const isStream = name === 'streamEvents';
    const connection = sdk.connect({ baseUrl: site.url, retries: 0, hooks });
    try {
      const called = functions[name]?.(connection, { ...slug, ...sent }, done);
      const { error } = called?.safe === undefined ? await firstOf(called) : await called.safe();
      if (sdk.isApiError(error)) return refusedBy(error.problem as Problem);
      return error === undefined || error instanceof sdk.AbortedError ? [] : [JSON.stringify(error)];
    } catch (error) {
      // It knows the names of its input, and asks no server.
      return [/does not take "(.*?)"/.exec(String(error))?.[1] ?? String(error)];
    }
  };
const firstOf = (stream: AsyncIterable<unknown> | undefined): Promise<{ error?: unknown }> =>
  Promise.resolve(stream?.[Symbol.asyncIterator]().next()).then(
    () => ({}),
    (error: unknown) => ({ error }),
  );

/** The forms of pages that people fill in. A list is one text with commas, or else repeated. */
type Form = { readonly page: string; readonly more?: Values };
const forms: Readonly<Partial<Record<OperationName, Form>>> = {
  submitBot: { page: '/submit' },
  addIntegrations: { page: '/bots/known' },
  refreshBot: { page: '/bots/known' },
  reportBot: { page: '/bots/known' },
  addPost: { page: '/feed' },
  reportPost: { page: '/feed' },
  addWebhook: { page: '/webhooks', more: { action: 'register' } },
  getWebhookStatus: { page: '/webhooks', more: { action: 'status' } },
  removeWebhook: { page: '/webhooks', more: { action: 'remove' } },
};
const actionOf = (name: OperationName): string =>
  ({ '/api/bots/submit': '/submit' })[pathOf(name)] ??
  pathOf(name)
    .replace('/api', '')
    .replace(/^\/webhooks\/bots.*/, '/webhooks');

/** `choices`: all that can be ticked or chosen; anything can be typed. */
type Control = { readonly name: string; readonly isRepeated: boolean; readonly choices: readonly string[] | undefined };
/** The forms of a page: action and fixed values → controls. */
const formsOn = async (
  page: string,
): Promise<{ readonly action: string; readonly controls: readonly Control[]; readonly html: string }[]> => {
  const text = await (await site.html(page)).text();
  return [...text.matchAll(/<form[^>]*method="post"[^]*?<\/form>/g)].map(([html]) => ({
    html,
    action: /action="([^"#]*)/.exec(html)?.[1] ?? page,
    controls: [...html.matchAll(/<(?:input|select|textarea|button)\b[^>]*\bname="([^"]*)"[^>]*>/g)].map(
      ([tag, control = '']): Control => ({
        name: control,
        isRepeated: tag.includes('type="checkbox"'),
        choices: /^<select|type="(?:checkbox|radio|hidden)"/.test(tag) ? choicesIn(html, control) : undefined,
      }),
    ),
  }));
};
const choicesIn = (html: string, name: string): string[] => {
  const [select = ''] = new RegExp(`<select[^>]*name="${name}"[^]*?</select>`).exec(html) ?? [];
  const ticks = [...html.matchAll(/<input[^>]*>/g)].flatMap(([tag]) => (tag.includes(`name="${name}"`) ? [tag] : []));
  return [select, ...ticks].flatMap((text) => [...text.matchAll(/value="([^"]*)"/g)].map(([, value = '']) => value));
};
const formOf = async (name: OperationName) => {
  const { page = '', more = {} } = forms[name] ?? {};
  const own = await formsOn(page);
  const found = own.find(
    ({ action, html }) =>
      action === actionOf(name) && Object.values(more).every((value) => html.includes(`value="${String(value)}"`)),
  );
  if (found === undefined)
    throw new Error(`${page} has no form for ${name}: ${own.map(({ action }) => action).join()}`);
  return found;
};

/** The field at which the summary of a form's errors points, by the id of its control. */
const fieldOfId = (id: string): string =>
  ({ integration: 'integrations', reported: 'url' })[id] ??
  (/^register-(category|integration|author|q)$/.test(id) ? 'filter' : (id.split('-').at(-1) ?? ''));

const byForm =
  (name: OperationName): Door =>
  async (sent) => {
    const { controls, action } = await formOf(name);
    const pairs: [string, string][] = Object.entries(forms[name]?.more ?? {}).map(([field, value]) => [
      field,
      String(value),
    ]);
    const flat = Object.entries(sent).flatMap(([field, value]): [string, unknown][] =>
      field === 'filter' && typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([part, one]) => [`filter/${part}`, one])
        : [[field, value]],
    );
    for (const [field, given] of flat.filter(isSent)) {
      const value = field === 'headers' ? linesOf(given) : given;
      const control = controls.find((one) => one.name === field);
      // Spaces around a text, and empty texts, are nothing that somebody typed.
      const isTyped = (one: unknown): one is string =>
        isText(one) && one !== '' && one === one.trim() && isWellFormed({ one });
      if (control?.choices !== undefined && ![value].flat().every((one) => control.choices?.includes(String(one))))
        return undefined;
      if (field === 'dry_run' && value === true) pairs.push(['step', 'preview']);
      else if (control === undefined) return undefined;
      else if (isTyped(value) && !isListed(name, field)) pairs.push([field, value]);
      else if (isTexts(value) && value.length > 0 && value.every(isTyped) && isListed(name, field))
        pairs.push(
          ...(control.isRepeated
            ? value.map((one): [string, string] => [field, one])
            : [[field, value.join()] as [string, string]]),
        );
      else return undefined;
    }
    const response = await site.send(action, pairs);
    const text = await response.text();
    if (response.status !== 400) return [];
    const ids = [...text.matchAll(/<li><a href="#([^"]*)">/g)].map(([, id = '']) => fieldOfId(id));
    return [...new Set(ids)].sort();
  };

/** Headers as they are typed: one a line. Anything else cannot be typed. */
const linesOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText)
    ? Object.entries(value)
        .map(([name, text]) => `${name}: ${text}`)
        .join('\n')
    : undefined;

const isListed = (name: OperationName, field: string): boolean => {
  const [whole = '', part] = field.split('/');
  const schema = new Map(fieldsOf(name)).get(whole);
  const found = part === undefined ? schema : schema?.properties?.[part];
  return (found?.anyOf?.some(({ type }) => type === 'array') ?? false) || found?.type === 'array';
};

/** Feeds take the filters; words that the API refuses find nothing there. Pages refuse nothing. */
const byFeed =
  (path: string): Door =>
  async (sent) => {
    const [[field, value] = ['', undefined]] = Object.entries(sent);
    const isFilter = !['limit', 'cursor', 'q', 'include'].includes(field);
    const search = searchOf('listBots', sent);
    if (!isFilter || search === undefined || [value].flat().some((one) => !isText(one) || one.trim() === ''))
      return undefined;
    return problemOf(
      await fetch(`${site.url}${path}?${search}`, { headers: { Accept: 'application/json' }, redirect: 'follow' }),
    );
  };

/** An edit by the operator, who corrects what a submission may say. */
const options: Readonly<Record<string, string>> = {
  author: '--author',
  source_url: '--source-url',
  categories: '--category',
  integrations: '--integration',
};
const byCommand: Door = async (sent) => {
  const operator = operatorOf(site.redis?.url ?? '', site.url);
  const { link, dry_run: _dryRun, ...fields } = sent;
  const [[field, value] = ['', undefined]] = Object.entries(fields);
  const option = options[field];
  const isMany = isListed('submitBot', field);
  if (option === undefined || link !== valid['submitBot']?.['link'] || !(isMany ? isTexts(value) : isText(value)))
    return undefined;
  const all = [value].flat() as string[];
  // An empty value removes what is there.
  if (all.length === 0 || all.includes('')) return undefined;
  // So many entries are too many in a body, whatever they are.
  if (all.length > limits.arrayEntries) return undefined;
  const args = all.flatMap((one) => [option, field === 'integrations' ? `+${one}` : one]);
  const { code } = await operator.attempt('--yes', 'edit', 'edited', ...args);
  if (code === 0)
    await operator.attempt('--yes', 'edit', 'edited', '--integration', '-nonsense', '--integration', '-slack');
  return code === 0 ? [] : [field];
};

const doorsOf = (name: OperationName): Readonly<Record<string, Door>> => ({
  ...(tools.has(name) ? { MCP: byMcp(name) } : {}),
  ...(functions[name] === undefined ? {} : { SDK: bySdk(name) }),
  ...(forms[name] === undefined ? {} : { form: byForm(name) }),
  ...(name === 'submitBot' ? { edit: byCommand } : {}),
  ...(name === 'listBots' ? { Atom: byFeed('/bots.atom'), JSON: byFeed('/bots.json') } : {}),
});

describe.each(operations.filter((name) => fieldsOf(name).length > 0))('%s', (name) => {
  it.each(Object.keys(doorsOf(name)))('%s refuses what HTTP refuses', async (door) => {
    const enter = doorsOf(name)[door];
    let tried = 0;
    for (const { field, sent } of casesOf(name)) {
      const refused = await enter?.(sent);
      if (refused === undefined) continue;
      // What a query can't say is refused by a door that can; of a query that is too long, no field is named.
      const expected = (await reference(name, sent)) ?? (refused.includes('') ? [''] : [field]);
      expect({ door, sent, refused }).toEqual({ door, sent, refused: expected });
      tried += 1;
    }
    expect(tried).toBeGreaterThan(2);
  });
});

it('there is no form that is not such a door', async () => {
  const pages = new Set(Object.values(forms).map(({ page }) => page));
  const found = (await Promise.all([...pages].map(formsOn))).flat().map(({ action }) => action);
  const known = (Object.keys(forms) as OperationName[]).map(actionOf);
  expect(new Set(found)).toEqual(new Set([...known, '/bots/known/install']));
});
