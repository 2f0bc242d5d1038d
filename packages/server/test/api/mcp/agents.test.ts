/** What an agent does, with the official client: both revisions of the protocol that the SDK speaks. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits, mcpTools, type Bot, type Problem } from '@bot-directory/contract';
import { startService, type Service } from '@bot-directory/testing/service';

let service: Service;
const clients: Client[] = [];

beforeAll(async () => {
  service = await startService({ settings: { CATEGORIES: 'Marketing,Sales' } });
  await service.publish('Weekly report', { integrations: ['Slack', 'Gmail'], categories: ['Marketing'] });
  for (let i = 1; i <= 12; i += 1) await service.publish(`Daily digest ${i}`, { integrations: ['slack'] });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service.stop();
});

const connect = async (mode: 'legacy' | 'auto', url = service.url): Promise<Client> => {
  const client = new Client({ name: 'an-agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  clients.push(client);
  return client;
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
    expect(JSON.parse(textOf(result as never)) as Problem).toMatchObject({
      code,
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it.each([
    ['search_bots', { limit: limits.mcpPageSize + 1 }, 'limit'],
    ['get_bot', {}, 'slug'],
    ['report_bot', { slug: 'weekly-report', reason: 'because' }, 'reason'],
  ])('learns which field is wrong when %s is called with %j', async (name, sent, field) => {
    const { isError, ...result } = await agent.callTool({ name, arguments: sent });
    expect(isError).toBe(true);
    expect(textOf(result as never)).toContain(field);
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
