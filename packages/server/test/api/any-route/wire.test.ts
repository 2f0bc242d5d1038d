import { gzipSync, brotliCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract, limits, problem, type Problem } from '@bot-directory/contract';
import { exchangeRaw, openRaw, readAnswer, type RawAnswer } from '@bot-directory/testing/raw-http';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { serveDirectory } from '../../../src/app/serve-directory.ts';
import { createLog } from '../../../src/base/log.ts';
import { createMetrics } from '../../../src/base/metrics.ts';
import { readConfig } from '../../../src/config.ts';
import { Directory } from '../../../src/directory/directory.ts';

const service = useStarted(() =>
  startService({
    settings: { REQUEST_TIMEOUT: '1s', SECURITY_CONTACT: 'mailto:security@example.com' },
  }),
);
beforeAll(async () => {
  await service.publish('A bot', { author: '@ada', integrations: ['a-bot'] });
});

const isProblem = (answer: RawAnswer, status: number, code: string): void => {
  expect(answer.text).toContain(`HTTP/1.1 ${status} `);
  expect(problem.parse(JSON.parse(answer.body))).toMatchObject({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('x-request-id')).toBe((JSON.parse(answer.body) as Problem).request_id);
};
const head = (lines: string[]): string => `${['Host: a', ...lines].join('\r\n')}\r\n\r\n`;
const post = (...lines: string[]): string =>
  `POST /api/feed HTTP/1.1\r\n${head(['Content-Type: application/json', ...lines])}`;
const hosts = (all: readonly string[]): [string, string][] =>
  all.map((host) => [`«${host}»`, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
const writes = Object.values(contract).filter(({ method }) => method !== 'GET');

describe('an empty chunked body, as a proxy makes one of an HTTP/2 request', () => {
  const hook = encodeURIComponent('https://hooks.example.com/none');
  const types = ['', 'Content-Type: application/json\r\n', 'Content-Type: text/plain\r\n'];
  const ask = (line: string, type: string, chunks = '') =>
    exchangeRaw(
      service.url,
      `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${type}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    );

  it.each(types)('is no body where none is needed: %j', async (type) => {
    const refreshed = await ask('POST /api/bots/a-bot/refresh', type);
    expect([refreshed.status, JSON.parse(refreshed.body)]).toMatchObject([200, { slug: 'a-bot' }]);
    isProblem(await ask(`DELETE /api/webhooks/bots?url=${hook}`, type), 404, 'webhook_not_found');
    isProblem(await ask('DELETE /api/webhooks/bots', `${types[1]}Content-Encoding: gzip\r\n`), 400, 'unreadable_json');
  });

  it('is judged as any other if it is not empty, or needed', async () => {
    isProblem(await ask('POST /api/bots/a-bot/refresh', '', '2\r\n{}\r\n'), 415, 'unsupported_media_type');
    isProblem(await ask('POST /api/bots/a-bot/refresh', types[1] ?? '', '1\r\n{\r\n'), 400, 'unreadable_json');
    isProblem(await ask('POST /api/feed', types[1] ?? ''), 400, 'unreadable_json');
    isProblem(await ask('POST /api/feed', ''), 415, 'unsupported_media_type');
  });
});

describe('a 413', () => {
  it.each(writes)('comes for a declared length, before any of it is sent: $method $path', async ({ method, path }) => {
    const answer = await exchangeRaw(
      service.url,
      `${method} ${path.replace(':slug', 'a-bot')} HTTP/1.1\r\n${head(['Content-Type: application/json', 'Content-Length: 10000000'])}`,
    );
    isProblem(answer, 413, 'body_too_large');
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('comes for chunks that never end, and can be read by a client that goes on sending', async () => {
    const raw = openRaw(service.url);
    raw.send(post('Transfer-Encoding: chunked'));
    const chunk = `1000\r\n${' '.repeat(4_096)}\r\n`;
    for (let sent = 0; !raw.isClosed() && sent < 10_000; sent += 1) {
      raw.send(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await raw.closed;
    isProblem(readAnswer(raw.text()), 413, 'body_too_large');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('comes for a small %s body that inflates beyond it', async (encoding, compress) => {
    const answer = await service.api<Problem>('POST', '/api/feed', {
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(400);
    const response = await fetch(`${service.url}/api/feed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
      body: compress(JSON.stringify({ integrations: Array.from({ length: 400_000 }, () => '!') })),
    });
    expect([response.status, ((await response.json()) as Problem).code]).toEqual([413, 'body_too_large']);
  });
});

describe('Expect', () => {
  it('of 100-continue is met when the body will be read', async () => {
    const raw = openRaw(service.url);
    raw.send(post('Content-Length: 11', 'Expect: 100-continue'));
    await until('it may go on', () => raw.text().startsWith('HTTP/1.1 100 Continue'));
    raw.send('{"url":"x"}');
    await until('it is answered', () => raw.text().includes('HTTP/1.1 400 '));
    raw.socket.destroy();
  });

  it.each([
    ['a body that is too large', post('Content-Length: 10000000', 'Expect: 100-continue'), 413, 'body_too_large'],
    [
      'a body of another type',
      `POST /api/feed HTTP/1.1\r\n${head(['Content-Type: text/plain', 'Content-Length: 5', 'Expect: 100-continue'])}`,
      415,
      'unsupported_media_type',
    ],
    [
      'a path that is not there',
      `POST /api/none HTTP/1.1\r\n${head(['Content-Length: 5', 'Expect: 100-continue'])}`,
      404,
      'not_found',
    ],
    ['something else', post('Content-Length: 2', 'Expect: tea'), 417, 'expectation_failed'],
  ])('of %s is refused without a 100', async (_what, request, status, code) => {
    const answer = await exchangeRaw(service.url, request);
    isProblem(answer, status, code);
  });
});

describe('what the parser refuses is a problem, too', () => {
  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400, 'malformed_request'],
    ['a bad header', `GET / HTTP/1.1\r\n${head(['Bad header: x'])}`, 400, 'malformed_request'],
    ['two lengths', post('Content-Length: 1', 'Content-Length: 2'), 400, 'malformed_request'],
    ['a chunk without a length', `${post('Transfer-Encoding: chunked')}x\r\n`, 400, 'malformed_request'],
    ['a long target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${head([])}`, 431, 'headers_too_large'],
    ['a long header', `GET / HTTP/1.1\r\n${head([`X: ${'a'.repeat(20_000)}`])}`, 431, 'headers_too_large'],
    ['a head that stops', 'GET / HTTP/1.1\r\nHost: a\r\n', 408, 'request_timeout'],
    ['a body that stops', `${post('Content-Length: 10')}{`, 408, 'request_timeout'],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s', async (_what, bytes, status, code) => {
    isProblem(await exchangeRaw(service.url, bytes), status, code);
  });

  it.each([
    ['none', 'GET / HTTP/1.1\r\n\r\n'],
    ['two', `GET /api/bots HTTP/1.1\r\n${head(['host: b'])}`],
    ...hosts(['a b', '<script>', '127.0.0.1:99999', 'a:b', 'a:1:2', '::1', '[1]', '[::1', 'a@b', 'a/b', 'a%zz', 'ä']),
  ])('%s of the header Host', async (_what, bytes) => {
    const answer = await exchangeRaw(service.url, bytes);
    isProblem(answer, 400, 'malformed_request');
    expect(answer.headers.get('connection')).toBe('close');
  });

  it.each(
    hosts(['', 'a', 'a:', 'a:65535', '[::1]', '[2001:db8::1]:80', 'bücher.example'.replace('ü', '%C3%BC'), 'a_b.']),
  )('but %s is a Host', async (_what, bytes) =>
    expect((await exchangeRaw(service.url, `${bytes}GET / HTTP/1.0\r\n\r\n`)).status).toBe(200),
  );

  it('and HTTP/1.0 needs none', async () => {
    expect((await exchangeRaw(service.url, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

it.each([
  ['utf-8', 400],
  ['"UTF-8"', 400],
  ['utf-16', 415],
  ['iso-8859-1', 415],
])('takes no charset but UTF-8: %s is %i', async (charset, status) => {
  const headers = { 'Content-Type': `application/json; charset=${charset}` };
  expect((await service.api('POST', '/api/feed', { headers, body: '{"url":"x"}' })).status).toBe(status);
});

it.each([Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('{'), Buffer.from('')])(
  'takes no body but JSON in UTF-8: %j',
  async (body) => {
    const response = await fetch(`${service.url}/api/feed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect([response.status, ((await response.json()) as Problem).code]).toEqual([400, 'unreadable_json']);
  },
);

it.each(['1e1', '0x10', '%201', '+1', '1.0', '', '0', '201', '99999999999'])(
  'a limit of «%s» is refused',
  async (limit) => {
    for (const path of ['/api/events', '/api/bots', '/api/feed'])
      expect((await service.get(`${path}?limit=${limit}`)).status, path).toBe(400);
  },
);

it.each(['1', '200'])('takes a limit of %s', async (limit) => {
  for (const path of ['/api/events', '/api/bots', '/api/feed'])
    expect((await service.get(`${path}?limit=${limit}`)).status, path).toBe(200);
});

const baseUrl = 'https://bots.example.com';
/** Each path, and the methods that its routes have. */
const methodsOf = new Map<string, string[]>(
  ['/healthz', '/healthz/store', '/readyz', '/metrics'].map((path) => [path, ['GET', 'HEAD']]),
);
const { routes } = serveDirectory(readConfig({ BASE_URL: baseUrl, TEMPLATE_HOST: 'templates.example.com' }), {
  directory: new Directory({ store: undefined, form: { baseUrl } }),
  stored: undefined,
  log: createLog('silent'),
  metrics: createMetrics({ version: '', release: '', role: '' }),
  ending: new AbortController().signal,
});
for (const { method, path } of routes) {
  const methods = methodsOf.get(path) ?? [];
  methodsOf.set(path, [...methods, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
}

describe('every route', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const spellings = (path: string): string[] => [
    path,
    path === '/' ? path : `${path}/`,
    `http://elsewhere.example${path}`,
    path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ];
  const request = (method: string, target: string): Promise<RawAnswer> =>
    exchangeRaw(service.url, `${method} ${target} HTTP/1.1\r\n${head(['Connection: close', 'Content-Length: 0'])}`);

  const samples = { 'categories/:slug': 'categories/seo', ':slug': 'a-bot', ':handle': 'ada', ':code': 'not_found' };
  const sample = (path: string): string =>
    Object.entries({ ...samples, ':number': '1' }).reduce((made, [name, value]) => made.replace(name, value), path);

  it.each(
    [...methodsOf]
      .filter(([path]) => path !== '/assets/:file')
      .map(([path, own]) => [sample(path), [...own, 'OPTIONS']]),
  )('%s takes what OPTIONS and Allow say, in each spelling', async (path, own) => {
    for (const target of spellings(path)) {
      const allow = (await request('OPTIONS', target)).headers.get('allow');
      expect(allow, target).toBe(own.join(', '));
      for (const method of methods) {
        if (method === 'GET' && path === '/api/events/stream') continue;
        const answer = await request(method, target);
        const isAllowed = own.includes(method);
        expect([target, method, answer.status === 405], answer.text).toEqual([target, method, !isAllowed]);
        expect([target, method, answer.status === 404], answer.text).toEqual([target, method, false]);
        if (!isAllowed) expect(answer.headers.get('allow')).toBe(allow);
        if (method === 'HEAD') expect(answer.body).toBe('');
        expect(answer.headers.get('cache-control'), target).toMatch(/no-cache|no-store/);
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      }
    }
  });

  it('answers HEAD of the stream with its headers, and OPTIONS of the server', async () => {
    const stream = await request('HEAD', '/api/events/stream');
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect((await request('OPTIONS', '*')).status).toBe(204);
  });
});

it('keeps the connection after an error whose body it has read or will read', async () => {
  const raw = openRaw(service.url);
  const small = (path: string): string =>
    `POST ${path} HTTP/1.1\r\n${head(['Content-Type: application/json', 'Content-Length: 11'])}{"url":"x"}`;
  raw.send(small('/api/none') + small('/api/feed') + `GET /healthz HTTP/1.1\r\n${head([])}`);
  await until('all are answered', () => (raw.text().match(/HTTP\/1\.1 /g) ?? []).length === 3);
  expect(raw.text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 400', 'HTTP/1.1 200']);
  expect(raw.isClosed()).toBe(false);
  raw.socket.destroy();
});

it('reads a body of many chunks', async () => {
  const raw = openRaw(service.url);
  const body = JSON.stringify({ url: 'x', padding: ' '.repeat(limits.bodyBytes - 50) });
  raw.send(post('Transfer-Encoding: chunked', 'Connection: close'));
  for (let at = 0; at < body.length; at += 1_000) {
    const part = body.slice(at, at + 1_000);
    raw.send(`${part.length.toString(16)}\r\n${part}\r\n`);
  }
  raw.send('0\r\n\r\n');
  await raw.closed;
  isProblem(readAnswer(raw.text()), 400, 'invalid_request');
});

describe('one connection', () => {
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${head([])}`;
  const body = '{"url":"https://x.com/jo/status/77"}';
  const add = `${post(`Content-Length: ${body.length}`)}${body}`;

  it.each([
    ['garbage', 'GARBAGE\x01\r\n\r\n'],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('gets the response to a request before %s, and no other', async (_what, bytes) => {
    const { text } = await exchangeRaw(service.url, `${add}${bytes}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
    expect(text).toMatch(/^HTTP\/1.1 (200|409) /);
  });

  it('may send several requests before it reads the responses, which come in order', async () => {
    const raw = openRaw(service.url);
    raw.send(get('/api/categories').repeat(15));
    await until('all are there', () => raw.text().match(/HTTP\/1\.1 200/g)?.length === 15);
    raw.socket.destroy();
  });

  it('is cut off when it asks for hundreds and reads nothing', async () => {
    const raw = openRaw(service.url);
    raw.socket.pause();
    raw.send(get('/api/bots').repeat(1_000));
    raw.socket.resume();
    await raw.closed;
    expect(raw.text().match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThan(20);
    await until('nothing is in progress', async () =>
      (await service.get<string>('/metrics')).body.includes('http_requests_in_flight 1\n'),
    );
  });

  it('of HTTP/1.0 gets no 100, which it would take for the response', async () => {
    const bytes = `POST /api/feed HTTP/1.0\r\n${head(['Content-Type: application/json', 'Expect: 100-continue', `Content-Length: ${body.length}`])}${body}`;
    const { text } = await exchangeRaw(service.url, bytes);
    expect(text).not.toContain(' 100 ');
    expect(text).toMatch(/^HTTP\/1.1 (200|409) /);
  });
});
