import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTemplateProvider } from '../src/provider.js';
import { templates } from '../src/templates.js';

let provider: Awaited<ReturnType<typeof startTemplateProvider>>;

beforeAll(async () => {
  provider = await startTemplateProvider();
});
afterAll(() => provider.close());

const directory = { accept: 'application/json, text/html;q=0.9' };
const browser = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = directory) =>
  fetch(`${provider.origin}${path}`, { headers });
const of = (form: string) => templates.filter((template) => template.form === form);

test('has a dozen templates, in every form', () => {
  expect(templates.length).toBeGreaterThanOrEqual(12);
  for (const form of ['json', 'json-ld', 'open-graph', 'title']) expect(of(form)).not.toHaveLength(0);
  expect(new Set(templates.map(({ id }) => id)).size).toBe(templates.length);
});

test.each(of('json'))('sends JSON where it is requested: $id', async ({ id, name, description, connectors }) => {
  const response = await get(`/bot/${id}`);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ name, description, connectors });
});

test.each(templates)('shows a browser a page: $id', async ({ id }) => {
  const response = await get(`/bot/${id}`, browser);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test.each(of('json-ld'))('describes itself in JSON-LD: $id', async ({ id, name, description }) => {
  const html = await (await get(`/bot/${id}`)).text();
  const [, json = ''] = /<script type="application\/ld\+json">(.*)<\/script>/.exec(html) ?? [];
  expect(JSON.parse(json)).toMatchObject({ name, description });
});

test.each([
  ['open-graph', 'property="og:title"', 'property="og:description"'],
  ['title', '<title>', 'name="description"'],
])('describes itself by %s', async (form, name, description) => {
  for (const { id } of of(form)) {
    const html = await (await get(`/bot/${id}`)).text();
    expect(html).toContain(name);
    expect(html).toContain(description);
    expect(html).not.toContain('ld+json');
  }
});

test('escapes what it shows', async () => {
  const html = await (await get('/bot/language-tutor')).text();
  expect(html).toContain('<title>Language Tutor &#60;B1&#62;</title>');
});

test('makes a template of the words of its link', async () => {
  const response = await get('/bot/my-first-bot');
  expect(await response.json()).toMatchObject({ name: 'My First Bot' });
  expect((await get('/bot/my-first-bot', browser)).status).toBe(200);
});

test('says of each template whether the directory has it', async () => {
  const listed = 'https://bots.example.com/bot/meeting-notes';
  const server = createServer(({ url = '' }, response) => {
    const isListed = new URL(url, 'http://directory').searchParams.get('link') === listed;
    response.end(JSON.stringify(isListed ? [{ url: 'http://directory/bots/meeting-notes' }] : []));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const known = await startTemplateProvider({ directory: { address, templateHost: 'bots.example.com' } });
  const textOf = async (path: string): Promise<string> =>
    (await fetch(known.origin + path, { headers: browser })).text();
  expect((await textOf('/')).match(/Listed in the directory/g)).toHaveLength(1);
  expect(await textOf('/bot/meeting-notes')).toContain('href="http://directory/bots/meeting-notes"');
  expect(await textOf('/bot/my-bot')).toContain(`href="${address}/submit?link=`);
  server.closeAllConnections();
  server.close();
  // Without the directory there are the templates alone.
  expect(await textOf('/')).not.toMatch(/Listed|Submit it/);
  await known.close();
});

test('lists its templates', async () => {
  const html = await (await get('/')).text();
  for (const { id } of templates) expect(html).toContain(`href="/bot/${id}"`);
});

test.each(['/bot/unknown', '/bot/', '/bot/meeting-notes/more', '//', '/favicon.ico'])(
  'has nothing at %s',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);
