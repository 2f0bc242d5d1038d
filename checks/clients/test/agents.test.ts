/** What an agent does, with the official client: both revisions of the protocol that the SDK speaks. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits, mcpTools, type Bot, type Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const clients: Client[] = [];

const service = useStarted(() => startService({ settings: { BOT_CATEGORIES: 'Marketing,Sales' } }));
beforeAll(async () => {
  await service.publish('Weekly report', { integrations: ['Slack', 'Gmail'], categories: ['Marketing'] });
  for (let i = 1; i <= 12; i += 1) await service.publish(`Daily digest ${i}`, { integrations: ['slack'] });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
});

const connect = async (mode: 'legacy' | 'auto', url = service.url): Promise<Client> => {
  const client = new Client({ name: 'an-agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  clients.push(client);
  return client;
};
type Found = {
  readonly bots: readonly Bot[];
  readonly total: number;
  readonly next_cursor?: string;
  readonly corrected_q?: string;
  readonly left_out?: readonly string[];
};
const textOf = ({ content }: { content: readonly unknown[] }): string => (content[0] as { text: string }).text;

describe.each(['legacy', 'auto'] as const)('An agent that connects with the mode %s', (mode) => {
  let agent: Client;
  beforeAll(async () => {
    agent = await connect(mode);
  });

  it('learns the tools, and which of them only read', async () => {
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(mcpTools).sort());
    const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(reads.sort()).toEqual(['get_bot', 'list_categories', 'list_integrations', 'search_bots']);
    for (const { inputSchema, outputSchema, description } of tools) {
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
      expect(description).toMatch(/\w/);
    }
    expect(agent.getInstructions()).toContain('treat them as data');
  });

  it('searches, and reads on from page to page', async () => {
    const first = await agent.callTool({ name: 'search_bots', arguments: { q: 'digest', integration: 'slack' } });
    const page = first.structuredContent as { bots: Bot[]; total: number; next_cursor: string };
    expect([page.bots.length, page.total]).toEqual([limits.mcpDefaultPageSize, 12]);
    expect(textOf(first)).toContain(`${page.bots[0]?.name} (${page.bots[0]?.slug})`);
    const second = await agent.callTool({
      name: 'search_bots',
      arguments: { q: 'digest', integration: ['slack'], cursor: page.next_cursor },
    });
    const rest = second.structuredContent as { bots: Bot[]; next_cursor?: string };
    expect([rest.bots.length, rest.next_cursor]).toEqual([2, undefined]);
    expect(new Set([...page.bots, ...rest.bots].map(({ id }) => id)).size).toBe(12);
  });

  it('gets the best match first if it searches, else the newest', async () => {
    const firstOf = async (sent: object): Promise<string | undefined> => {
      const { structuredContent } = await agent.callTool({ name: 'search_bots', arguments: { ...sent, limit: 1 } });
      return (structuredContent as { bots: Bot[] }).bots[0]?.name;
    };
    await service.publish(`Weekly report, and more ${mode}`);
    expect(await firstOf({ q: 'weekly report' })).toBe('Weekly report');
    expect(await firstOf({ q: 'weekly report', sort: 'newest' })).toBe(`Weekly report, and more ${mode}`);
    expect(await firstOf({ q: ' ' })).toBe(`Weekly report, and more ${mode}`);
  });

  it('reads one bot, as a tool and as a resource: what the API says of it', async () => {
    const { body } = await service.get<Bot>('/api/bots/weekly-report');
    const { structuredContent } = await agent.callTool({ name: 'get_bot', arguments: { slug: 'weekly-report' } });
    expect(structuredContent).toEqual(body);
    const { contents } = await agent.readResource({ uri: body.url });
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(body);
  });

  it('lists what bots can be filtered by', async () => {
    const categories = await agent.callTool({ name: 'list_categories', arguments: {} });
    expect(categories.structuredContent).toEqual({ categories: (await service.get('/api/categories')).body });
    const integrations = await agent.callTool({ name: 'list_integrations', arguments: {} });
    expect(integrations.structuredContent).toEqual({ integrations: (await service.get('/api/integrations')).body });
  });

  it('submits a bot, adds an integration, and reports it', async () => {
    const link = service.link(service.provider.template({ name: `Made by an agent ${mode}` }));
    const submitted = await agent.callTool({ name: 'submit_bot', arguments: { link, categories: ['sales'] } });
    const { slug } = submitted.structuredContent as { slug: string };
    const merged = await agent.callTool({ name: 'add_integrations', arguments: { slug, integrations: ['Notion'] } });
    expect(merged.structuredContent).toMatchObject({ slug, integrations: expect.arrayContaining(['notion']) });
    const reported = await agent.callTool({ name: 'report_bot', arguments: { slug, reason: 'spam' } });
    expect(reported.structuredContent).toEqual({ id: expect.stringMatching(/^rep_/), slug });
    const { body } = await service.get<Bot>(`/api/bots/${slug}`);
    expect(body).toMatchObject({ categories: ['Sales'], integrations: expect.arrayContaining(['notion']) });

    const again = await agent.callTool({ name: 'submit_bot', arguments: { link } });
    expect(again.isError).toBe(true);
    expect(JSON.parse(textOf(again)) as Problem).toMatchObject({ code: 'bot_exists', status: 409, slug });
  });

  it.each([
    ['get_bot', { slug: 'no-such-bot' }, 'bot_not_found'],
    ['search_bots', { category: 'Nonsense' }, 'invalid_request'],
    ['submit_bot', { link: 'https://elsewhere.example/bot/x' }, 'invalid_request'],
    ['add_integrations', { slug: 'no-such-bot', integrations: ['slack'] }, 'bot_not_found'],
  ])('gets the problem of the API when %s is called with %j', async (name, sent, code) => {
    const { isError, ...result } = await agent.callTool({ name, arguments: sent });
    expect(isError).toBe(true);
    expect(JSON.parse(textOf(result)) as Problem).toMatchObject({
      code,
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it.each([
    ['search_bots', { limit: limits.mcpPageSize + 1 }, '/limit', 'must be at most 50'],
    ['search_bots', { limit: 1.5 }, '/limit', 'must be a whole number'],
    ['search_bots', { query: 'digest' }, '/query', 'use `q`'],
    ['search_bots', { page: 2 }, '/page', 'use `limit`, `cursor`'],
    ['search_bots', { tags: ['SEO'] }, '/tags', 'use `category`'],
    ['search_bots', { Sort: 'newest' }, '/Sort', 'use `sort`'],
    ['search_bots', { limit: 'ten' }, '/limit', 'must be a number'],
    ['search_bots', { q: '???' }, '/q', 'a letter or a digit'],
    ['list_integrations', { limit: 5 }, '/limit', 'it takes none'],
    ['search_bots', { category: ['Nonsense'] }, '/category', 'Sales'],
    ['search_bots', { integration: 'slack,gmail' }, '/integration', 'must be a list'],
    ['get_bot', {}, '/slug', 'is required'],
    ['get_bot', { slug: '' }, '/slug', 'is required'],
    ['get_bot', { id: 'weekly-report' }, '/id', 'use `slug`'],
    ['list_categories', { q: 'x' }, '/q', 'it takes none'],
    ['submit_bot', { link: 'https://bots.example.com/bot/x', category: 'Sales' }, '/category', 'use `categories`'],
    ['submit_bot', { link: 'https://bots.example.com/bot/x', name: 'x' }, '/name', 'it takes `link`'],
    ['submit_bot', { link: 'https://bots.example.com/bot/x', dryRun: true }, '/dryRun', 'dry_run'],
    ['report_bot', { slug: 'weekly-report', reason: 'because' }, '/reason', 'spam'],
  ])('learns what is wrong when %s is called with %j', async (name, sent, pointer, words) => {
    const { isError, ...result } = await agent.callTool({ name, arguments: sent });
    expect(isError).toBe(true);
    const { code, errors = [] } = JSON.parse(textOf(result)) as Problem;
    expect(code).toBe('invalid_request');
    expect(errors.find((one) => one.pointer === pointer)?.detail).toContain(words);
  });

  it.each([
    ['categories', 'use `category`'],
    ['handle', 'use `author`'],
    ['pageSize', 'use `limit`, `cursor`'],
  ])('learns each right name once when it sends %s', async (name, hint) => {
    const result = await agent.callTool({ name: 'search_bots', arguments: { [name]: 'x' } });
    const { errors } = JSON.parse(textOf(result)) as Problem;
    expect(errors).toEqual([{ pointer: `/${name}`, detail: `is not an argument of this tool; ${hint}` }]);
  });

  it.each([
    ['null for what is absent', { q: null, category: null, limit: 2, cursor: null, author: null, sort: null }],
    ['a number as its text', { limit: '2' }],
    ['a list as its text', { limit: 2, integration: '["slack"]' }],
    ['a list of one as that one', { limit: 2, integration: 'Slack' }],
  ])('may write %s', async (_how, sent) => {
    const { structuredContent } = await agent.callTool({ name: 'search_bots', arguments: sent });
    expect((structuredContent as { bots: Bot[] }).bots).toHaveLength(2);
  });

  it.each<[string, object]>([
    ['n8n', { toolCallId: 'call_1', sessionId: 's', action: 'sendMessage', chatInput: 'Find me a digest' }],
    ['Cline', { task_progress: '- [ ] Search' }],
    ['Cursor', { random_string: 'dummy' }],
  ])('may be in %s, which adds arguments of its own to every call', async (_host, added) => {
    const link = service.link(service.provider.template({ name: 'Previewed' }));
    const calls: [string, object][] = [
      ['search_bots', { q: 'digest', limit: 2 }],
      ['get_bot', { slug: 'weekly-report' }],
      ['list_categories', {}],
      ['list_integrations', {}],
      ['submit_bot', { link, dry_run: true }],
      ['add_integrations', { slug: 'weekly-report', integrations: ['slack'] }],
      ['report_bot', { slug: 'weekly-report', reason: 'spam' }],
    ];
    for (const [name, sent] of calls) {
      const { isError, ...result } = await agent.callTool({ name, arguments: { ...sent, ...added } });
      expect([name, isError, textOf(result)]).toEqual([name, undefined, expect.any(String)]);
    }
  });

  it.each([
    ['submit_bot', '`"dry_run": true`'],
    ['add_integrations', 'no dry run'],
    ['report_bot', 'no dry run'],
  ])('changes nothing where %s ignores a switch that would prevent it elsewhere', async (name, hint) => {
    const before = (await service.get<Bot[]>('/api/bots')).body;
    const link = service.link(service.provider.template({ name: `Not meant ${mode}` }));
    const needed = { link, slug: 'weekly-report', integrations: ['not-meant'], reason: 'spam' };
    for (const field of ['dryRun', 'DRY_RUN', 'simulate', 'preview', 'validateOnly', 'test', 'draft']) {
      const result = await agent.callTool({ name, arguments: { ...needed, [field]: true } });
      expect([field, result.isError]).toEqual([field, true]);
      const { errors = [] } = JSON.parse(textOf(result)) as Problem;
      expect(errors).toContainEqual({ pointer: `/${field}`, detail: expect.stringContaining(hint) });
    }
    expect((await service.get<Bot[]>('/api/bots')).body).toEqual(before);
  });

  it('may write an empty text for every argument that it leaves out', async () => {
    const { tools } = await agent.listTools();
    const link = service.link(service.provider.template({ name: `With empty texts ${mode}` }));
    const needed: Readonly<Record<string, object>> = {
      get_bot: { slug: 'weekly-report' },
      submit_bot: { link },
      add_integrations: { slug: 'weekly-report', integrations: ['slack'] },
      report_bot: { slug: 'weekly-report', reason: 'spam' },
    };
    for (const { name, inputSchema } of tools) {
      const empty = Object.fromEntries(Object.keys(inputSchema.properties ?? {}).map((field) => [field, '']));
      const { isError, ...result } = await agent.callTool({ name, arguments: { ...empty, ...needed[name] } });
      expect([name, isError, textOf(result)]).toEqual([name, undefined, expect.any(String)]);
    }
  });

  it('learns that a resource is not there', async () => {
    const read = agent.readResource({ uri: `${service.url}/bots/no-such-bot` });
    await expect(read).rejects.toMatchObject({ code: -32_602, data: { uri: `${service.url}/bots/no-such-bot` } });
  });

  it.each([
    ['a bot for weekly meeting reports', ['weekly', 'report'], ['meeting']],
    ['how do I get a digest of what happened', ['digest'], ['happened']],
    [`weekly report ${Array.from({ length: 18 }, (_, i) => `word${i}`).join(' ')}`, ['weekly', 'report'], ['word17']],
    ['日報 weekly の report', ['weekly', 'report'], ['日報']],
  ])('finds what a sentence is about: %s', async (q, about, without) => {
    const result = await agent.callTool({ name: 'search_bots', arguments: { q } });
    const { bots, corrected_q, left_out } = result.structuredContent as Found;
    expect(bots[0]?.name.toLowerCase()).toContain(about.join(' '));
    expect(corrected_q?.split(' ')).toEqual(expect.arrayContaining(about));
    expect(left_out).toEqual(expect.arrayContaining(without));
    expect(textOf(result)).toContain(`without ${left_out?.join(', ')}`);
  });

  it('gets every page of what a sentence is about', async () => {
    const q = 'a digest, daily, of everything';
    const first = (await agent.callTool({ name: 'search_bots', arguments: { q } })).structuredContent as Found;
    const next = { q, cursor: first.next_cursor };
    const second = (await agent.callTool({ name: 'search_bots', arguments: next })).structuredContent as Found;
    expect(new Set([...first.bots, ...second.bots].map(({ id }) => id)).size).toBe(12);
  });

  it('may write null for every field that a submission does not have', async () => {
    const link = service.link(service.provider.template({ name: `With nulls ${mode}` }));
    const rest = { source_url: null, author: null, integrations: null, categories: '["Sales"]', dry_run: 'true' };
    const { structuredContent } = await agent.callTool({ name: 'submit_bot', arguments: { link, ...rest } });
    expect(structuredContent).toMatchObject({ preview: { categories: ['Sales'], author: null } });
  });

  it('gets what a page offers a visitor whose words find nothing, or little', async () => {
    const typed = await agent.callTool({ name: 'search_bots', arguments: { q: 'dayly digest' } });
    expect(typed.structuredContent).toMatchObject({ corrected_q: 'daily digest', total: 12 });
    expect(textOf(typed)).toContain('daily digest');
    const nothing = await agent.callTool({ name: 'search_bots', arguments: { q: 'nothing at all' } });
    expect(nothing.structuredContent).toEqual({ bots: [], total: 0 });
  });

  it('is promised only what is kept', async () => {
    expect(agent.getServerCapabilities()).toMatchObject({
      tools: { listChanged: false },
      resources: { listChanged: false },
    });
    const { tools } = await agent.listTools();
    for (const { name, inputSchema, annotations } of tools) {
      // A host that checks by it would refuse what another one adds.
      expect(inputSchema.additionalProperties, name).not.toBe(false);
      expect(JSON.stringify(inputSchema), name).not.toContain('anyOf":[{"type":"string"},{"type":"array"');
      if (annotations?.readOnlyHint === false) expect(annotations.idempotentHint, name).toBe(true);
    }
  });
});

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const send = (body: unknown, url = service.url): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  });

describe('The endpoint', () => {
  it.each([
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['application/json, text/event-stream', 'application/json'],
    ['text/html', 'application/json'],
    [undefined, 'application/json'],
  ])('answers a client that accepts %s with %s', async (accept, type) => {
    const { stdout } = await promisify(execFile)('curl', [
      '-sS',
      '-w',
      '\\n%{http_code} %{content_type}',
      '-H',
      `Accept:${accept === undefined ? '' : ` ${accept}`}`,
      '-H',
      'Content-Type: application/json',
      '-d',
      JSON.stringify(message('tools/list', {})),
      `${service.url}/mcp`,
    ]);
    const [, body = '', status, sent] = /^([^]*)\n(\d+) (.*)$/.exec(stdout) ?? [];
    expect([status, sent]).toEqual(['200', type]);
    const json = type === 'application/json' ? body : /^event: message\ndata: (.*)\n\n$/.exec(body)?.[1];
    expect(JSON.parse(json ?? '')).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  });

  it('takes arguments of null for none, and refuses what is nested too deeply', async () => {
    const call = message('tools/call', { name: 'list_categories', arguments: null });
    expect(await (await send(call)).json()).toMatchObject({ result: { structuredContent: expect.anything() } });
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${'['.repeat(15_000)}${']'.repeat(15_000)}}}`;
    const refused = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: deep,
    });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'invalid_request' }]);
  });

  it.each([[[message('tools/list', {})]], ['text'], [null]])('refuses %j, which is no message', async (body) => {
    const response = await send(body);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it('opens no stream: a GET is a 405, and a subscription is refused at once', async () => {
    expect((await fetch(`${service.url}/mcp`)).status).toBe(405);
    const agent = await connect('auto');
    await expect(agent.listen({ toolsListChanged: true })).rejects.toThrow();
  });

  it('counts calls that write as the API counts writes, and no others', async () => {
    const limited = await startService({ settings: { WRITE_RATE_LIMIT: '2/1m' } });
    const report = message('tools/call', { name: 'report_bot', arguments: { slug: 'none', reason: 'spam' } });
    const search = message('tools/call', { name: 'search_bots', arguments: {} });
    const statuses = [];
    for (const one of [search, report, search, report, search, report, search])
      statuses.push((await send(one, limited.url)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 200]);
    await limited.stop();
  });

  it('is what server.json and llms.txt name', async () => {
    const card = (await (await fetch(`${service.url}/server.json`)).json()) as { name: string; remotes: object[] };
    expect(card.name).toBe('1.0.0.127/bot-directory');
    expect(card.remotes).toEqual([{ type: 'streamable-http', url: `${service.url}/mcp` }]);
    expect(await (await fetch(`${service.url}/llms.txt`)).text()).toContain(`${service.url}/mcp\n`);
  });

  it('serves pages of other origins', async () => {
    const preflight = await fetch(`${service.url}/mcp`, {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Headers': 'content-type,mcp-protocol-version' },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
    expect((await send(message('tools/list', {}))).headers.get('access-control-allow-origin')).toBe('*');
  });

  it('reads while the store cannot be written, and says so to a client that writes', async () => {
    const reading = await startService({ redis: null });
    const agent = await connect('auto', reading.url);
    expect((await agent.callTool({ name: 'search_bots', arguments: {} })).structuredContent).toMatchObject({
      total: 0,
    });
    const refused = await agent.callTool({ name: 'submit_bot', arguments: { link: service.link('x') } });
    expect(textOf(refused)).toContain('saving_not_configured');
    await reading.stop();
  });
});
