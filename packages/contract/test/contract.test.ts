import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { contract, limits, openApi, problem, problems, submission } from '../src/index.ts';

const routes = Object.entries(contract);

type Code = keyof typeof problems;

/** Returns the codes of an error response. */
const codesOf = (schema: unknown): Code[] => (schema as z.ZodObject<{ code: z.ZodEnum }>).shape.code.options as Code[];

describe('the contract', () => {
  it('names each operation once in the document, with every status that it may return', () => {
    const document = openApi();
    for (const [name, route] of routes) {
      const path = document.paths?.[route.path.replace(/:(\w+)/g, '{$1}')] as Record<
        string,
        { operationId: string; responses: object }
      >;
      const operation = path[route.method.toLowerCase()];
      expect(operation?.operationId).toBe(name);
      const statuses = Object.keys(operation?.responses ?? {}).filter((status) => !['304', 'default'].includes(status));
      expect(statuses).toEqual(Object.keys(route.responses));
    }
  });

  it('resolves every $ref of the document', () => {
    const text = JSON.stringify(openApi());
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]);
    expect(names.length).toBeGreaterThan(10);
    expect(Object.keys(openApi().components?.schemas ?? {})).toEqual(expect.arrayContaining([...new Set(names)]));
    expect(text).not.toContain('#/$defs');
  });

  it("has an instance's hosts and categories in the document, and no field that is refused", () => {
    const document = openApi('https://bots.example.net', {
      templateHost: 'templates.example.net:8443',
      socialHosts: ['social.example.net', 'old.example.net'],
      categories: ['Gardening', 'Travel'],
    });
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/bots\.example\.com|x\.com\/|directory\.example\.com|"Marketing"|_host\}|"not":|\[Hh\]/);
    const submit = document.paths?.['/api/bots/submit'] as { post: { requestBody: { content: object } } };
    const [{ schema, example }] = Object.values(submit.post.requestBody.content) as [
      { schema: { properties: Record<string, object> }; example: Record<string, unknown> },
    ];
    expect(example).toMatchObject({
      link: 'https://templates.example.net:8443/bot/weekly-seo-report',
      source_url: 'https://social.example.net/ada_l/status/1790000000000000001',
      categories: ['Gardening'],
    });
    expect(schema.properties['link']).toMatchObject({
      pattern: String.raw`^https://templates\.example\.net:8443/bot/[A-Za-z0-9._~-]+`,
    });
    expect(JSON.stringify(schema.properties['source_url'])).toContain('(social\\\\.example\\\\.net|old');
    expect(JSON.stringify(schema.properties['categories'])).toContain('["Gardening","Travel"]');
  });

  it('has no two routes with the same method and path', () => {
    const keys = routes.map(([, route]) => `${route.method} ${route.path}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(routes)('%s declares only statuses that the API documents', (_name, route) => {
    const allowed = [200, 400, 404, 409, 410, 413, 415, 429, 500, 503];
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(route.responses).map(Number)));
  });

  it.each(routes)('%s types each error status by its codes', (_name, route) => {
    for (const [status, schema] of Object.entries(route.responses)) {
      if (status === '200') continue;
      const codes = codesOf(schema);
      expect(codes.length).toBeGreaterThan(0);
      for (const code of codes) expect(problems[code].status).toBe(Number(status));
    }
  });

  it('names each code on the routes that return it, unless a request gets it before it reaches a route', () => {
    const named = new Set<string>();
    for (const [, { responses }] of routes) {
      const { 200: _success, ...errors } = responses;
      for (const schema of Object.values(errors)) for (const code of codesOf(schema)) named.add(code);
    }
    expect(Object.keys(problems).filter((code) => !named.has(code))).toEqual([
      'malformed_request',
      'not_found',
      'method_not_allowed',
      'request_timeout',
      'expectation_failed',
      'headers_too_large',
    ]);
  });

  it('types the 409 of a submit with the existing bot', () => {
    type Conflict = z.infer<(typeof contract.submitBot.responses)[409]>;
    expectTypeOf<Conflict['code']>().toEqualTypeOf<'bot_exists' | 'bot_removed'>();
    expectTypeOf<Conflict['slug']>().toEqualTypeOf<string>();
    const conflict = { type: 't', title: 't', status: 409, detail: 'd', request_id: 'r', code: 'bot_exists' };
    expect(contract.submitBot.responses[409].safeParse(conflict).success).toBe(false);
    expect(contract.submitBot.responses[409].safeParse({ ...conflict, slug: 's', url: '/bots/s' }).success).toBe(true);
    expect(problem.safeParse(conflict).success).toBe(true);
  });
});

describe('a submission', () => {
  const link = 'https://templates.example.com/bot/1';
  it('ignores unknown keys', () => {
    expect(submission.parse({ link, colour: 'red' })).toEqual({ link });
  });
  it.each(['name', 'description'])('refuses %s', (key) => {
    const result = submission.safeParse({ link, [key]: 'x' });
    expect(result.error?.issues.map((issue) => issue.path)).toEqual([[key]]);
  });
  it('keeps the limits of the source', () => {
    expect(limits).toMatchObject({ integrationsPerBot: 24, categoriesPerBot: 3, failuresInARow: 10 });
  });
});
