/**
 * Every adapter in its real framework: over a socket if the framework has a server, otherwise through its own entry
 * point.
 */
import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import { createServer as createHttp2Server, connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { bodyParser } from '@koa/bodyparser';
import type { ALBHandler, APIGatewayProxyHandler, APIGatewayProxyHandlerV2 } from 'aws-lambda';
import express from 'express';
import fastify from 'fastify';
import { Hono, type HonoRequest } from 'hono';
import Koa from 'koa';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { expressHandler } from '@bot-directory/webhook-receiver/express';
import { fastifyPlugin } from '@bot-directory/webhook-receiver/fastify';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
import { honoHandler } from '@bot-directory/webhook-receiver/hono';
import { koaHandler } from '@bot-directory/webhook-receiver/koa';
import { lambdaHandler } from '@bot-directory/webhook-receiver/lambda';
import { nodeListener } from '@bot-directory/webhook-receiver/node';
import { createReceiver, type WebhookError } from '@bot-directory/webhook-receiver';
import {
  generateKeyPair,
  sampleEvent,
  type SignedDelivery,
  signedDelivery,
} from '@bot-directory/webhook-receiver/testing';

const { publicKey, privateKey: key } = await generateKeyPair();
const handled: string[] = [];
const reported: WebhookError[] = [];
beforeEach(() => {
  handled.length = 0;
  reported.length = 0;
});
const receiver = createReceiver({
  keys: publicKey,
  on: { 'bot.created': ({ data }) => void handled.push(data.name) },
  onError: (error) => reported.push(error),
});

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));
const listen = async (listener: RequestListener): Promise<string> => {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
};

type Post = (delivery: SignedDelivery) => Promise<Response>;
const overSocket =
  (url: string): Post =>
  (delivery) =>
    fetch(url, { method: 'POST', ...delivery });

const app = express();
app.get('/', (_, response) => void response.send('other'));
app.post('/hooks', expressHandler(receiver));
app.post('/raw', express.raw({ type: '*/*', limit: '40mb' }), expressHandler(receiver));
app.post('/text', express.text({ type: '*/*', limit: '40mb' }), expressHandler(receiver));
const keepRaw = express.json({
  limit: '40mb',
  verify: (request, _, rawBody) => void Object.assign(request, { rawBody }),
});
app.post('/kept', keepRaw, expressHandler(receiver));
const expressUrl = await listen(app);
const expressAt = (path: string) => overSocket(expressUrl.replace('/hooks', path));

const fastifyApp = fastify({ bodyLimit: 100 });
await fastifyApp.register(fastifyPlugin(receiver, '/hooks'));
fastifyApp.post('/other', ({ body }) => ({ body }));
const fastifyUrl = `${await fastifyApp.listen({ port: 0, host: '127.0.0.1' })}/hooks`;
closers.push(() => fastifyApp.close());

/** As fastify-raw-body keeps it, with a hook that takes its time: the body has been read when the handler begins. */
const keptFastifyApp = fastify().addHook('preParsing', (request, _, payload, done) => {
  const chunks: Buffer[] = [];
  payload.on('data', (chunk: Buffer) => chunks.push(chunk));
  payload.on('end', () => Object.assign(request, { rawBody: Buffer.concat(chunks) }));
  done(null, payload);
});
keptFastifyApp.addHook('preHandler', () => new Promise((resolve) => setTimeout(resolve, 20)));
await keptFastifyApp.register(fastifyPlugin(receiver, '/hooks'));
const keptFastifyUrl = `${await keptFastifyApp.listen({ port: 0, host: '127.0.0.1' })}/hooks`;
closers.push(() => keptFastifyApp.close());

type Door = Pick<Hono, 'request'>;
/** Reads the body before the handler does, such as a logger or a validator. */
const readFirst = (read: (request: HonoRequest) => Promise<unknown>): Door =>
  new Hono().use(async ({ req }, next) => (await read(req).catch(() => null), next())).post('/', honoHandler(receiver));
const viaHono =
  (app: Door): Post =>
  async (delivery) =>
    app.request('/', { method: 'POST', ...delivery });

const inKoa =
  (callback: (...args: Parameters<RequestListener>) => Promise<void>): RequestListener =>
  (request, response) =>
    void callback(request, response);
const koaUrl = await listen(inKoa(new Koa().use(koaHandler(receiver)).callback()));
const koaParser = bodyParser({ jsonLimit: '40mb', textLimit: '40mb', enableTypes: ['json', 'text'] });
const parsedKoaUrl = await listen(inKoa(new Koa().use(koaParser).use(koaHandler(receiver)).callback()));
const nodeUrl = await listen(nodeListener(receiver));

/** The handler satisfies AWS's own types for each event. */
const handlers = {
  http: lambdaHandler(receiver),
  rest: lambdaHandler(receiver),
  balancer: lambdaHandler(receiver),
} satisfies {
  http: APIGatewayProxyHandlerV2;
  rest: APIGatewayProxyHandler;
  balancer: ALBHandler;
};
const viaLambda =
  (kind: keyof typeof handlers, isBase64Encoded = false): Post =>
  async ({ headers, body }) => {
    const bytes = Buffer.from(body);
    const event = { headers, body: isBase64Encoded ? bytes.toString('base64') : bytes.toString(), isBase64Encoded };
    const { statusCode, multiValueHeaders, ...answer } = await handlers[kind](event);
    expect(multiValueHeaders).toBeUndefined();
    return new Response(answer.body, { status: statusCode, headers: answer.headers });
  };

/** Posts as a target group with multi-value headers does: it sends only these, and accepts only these in a response. */
const viaMultiValues: Post = async ({ headers, body }) => {
  const multiValueHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const result = await handlers.balancer({ multiValueHeaders, body: body.toString(), isBase64Encoded: false });
  const answered = Object.entries(result.multiValueHeaders ?? {}).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(result.body, { status: result.statusCode, headers: answered });
};

const doors: [string, Post][] = [
  ['fetch', (delivery) => fetchHandler(receiver)(new Request('https://a.example', { method: 'POST', ...delivery }))],
  ['node', overSocket(nodeUrl)],
  ['express', overSocket(expressUrl)],
  ['express behind raw()', expressAt('/raw')],
  ['express behind text()', expressAt('/text')],
  ['express behind json() that keeps the raw body', expressAt('/kept')],
  ['fastify', overSocket(fastifyUrl)],
  ['fastify behind a parser that keeps the raw body', overSocket(keptFastifyUrl)],
  ['hono', viaHono(new Hono().post('/', honoHandler(receiver)))],
  ['hono behind middleware that read the text', viaHono(readFirst((request) => request.text()))],
  ['hono behind middleware that read the JSON', viaHono(readFirst((request) => request.json()))],
  ['hono behind middleware that read the bytes', viaHono(readFirst((request) => request.arrayBuffer()))],
  ['koa', overSocket(koaUrl)],
  ['koa behind a body parser', overSocket(parsedKoaUrl)],
  ['lambda, HTTP API', viaLambda('http')],
  ['lambda, HTTP API, base64', viaLambda('http', true)],
  ['lambda, REST API', viaLambda('rest')],
  ['lambda, load balancer', viaLambda('balancer')],
  ['lambda, load balancer with multi-value headers', viaMultiValues],
];

const huge = await signedDelivery({ body: `{"x":"${' '.repeat(4 * 1_024 * 1_024)}"}`, key });

describe.each(doors)('%s', (_, post) => {
  const answerTo = async (delivery: SignedDelivery) => {
    const response = await post(delivery);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    return [response.status, await response.json()];
  };

  it('handles an event whose bytes a parser would change, once', async () => {
    const event = sampleEvent('bot.created', { name: 'Ünïcödé ✓' });
    const body = JSON.stringify(event, null, 1)
      .replace('"install_count": 0', '"install_count": 1.0e0')
      .replace('Ü', '\\u00dc');
    const delivery = await signedDelivery({ event, body, key });
    expect(await answerTo(delivery)).toEqual([200, { code: 'handled' }]);
    expect(await answerTo(delivery)).toEqual([200, { code: 'duplicate' }]);
    expect(handled).toEqual(['Ünïcödé ✓']);
  });

  it('refuses a wrong signature, and a wrong type', async () => {
    const { headers, body } = await signedDelivery({ key });
    expect(await answerTo({ headers, body: `${String(body)} ` })).toEqual([401, { code: 'invalid_signature' }]);
    const plain = await answerTo({ headers: { ...headers, 'content-type': 'text/plain' }, body });
    expect(plain).toEqual([415, { code: 'not_json' }]);
  });

  it('answers a body of 4 MiB with 413', async () => {
    expect(await answerTo(huge)).toEqual([413, { code: 'body_too_large' }]);
  });
});

/** A body without a length, as chunks. */
const inChunks = (chunk: Uint8Array, count: number) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let index = 0; index < count; index++) controller.enqueue(chunk);
      controller.close();
    },
  });

describe.each([
  ['node', nodeUrl],
  ['express', expressUrl],
  ['fastify', fastifyUrl],
  ['koa', koaUrl],
])('%s, over its socket', (_, url) => {
  it('reads a body without a length, up to the limit', async () => {
    const { headers, body } = await signedDelivery({ key });
    const post = (chunks: ReadableStream<Uint8Array>) =>
      fetch(url, { method: 'POST', headers, body: chunks, duplex: 'half' });
    expect((await post(inChunks(Buffer.from(body), 1))).status).toBe(200);
    expect((await post(inChunks(new Uint8Array(65_536), 100))).status).toBe(413);
  });

  it('survives a sender that breaks off', async () => {
    const { headers } = await signedDelivery({ key });
    const request = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-length': 100 } });
    request.on('error', () => {});
    request.write('{"id":', () => request.destroy());
    await expect.poll(() => reported.map(({ code }) => code)).toEqual(['unreadable']);
  });
});

/** A request without a body, to a handler that its framework gives every method. */
type Probe = (method: string) => Promise<Pick<Response, 'status'> & { text: string }>;
const read = async (response: Response) => ({ status: response.status, text: await response.text() });
const probeOf =
  (url: string): Probe =>
  async (method) =>
    read(await fetch(url, { method }));
const ofLambda = ({ statusCode, body }: { statusCode: number; body: string }) => ({ status: statusCode, text: body });

describe.each<[string, Probe]>([
  ['node', probeOf(nodeUrl)],
  ['koa', probeOf(koaUrl)],
  ['express', probeOf(await listen(express().use(expressHandler(receiver))))],
  ['fetch', async (method) => read(await fetchHandler(receiver)(new Request('https://a.example', { method })))],
  ['hono', async (method) => read(await new Hono().all('/', honoHandler(receiver)).request('/', { method }))],
  ['lambda, REST API or balancer', async (httpMethod) => ofLambda(await handlers.rest({ httpMethod, headers: {} }))],
  [
    'lambda, HTTP API or function URL',
    async (method) => ofLambda(await handlers.http({ requestContext: { http: { method } }, headers: {} })),
  ],
])('a health check of %s', (_, probe) => {
  it('is answered with 200, and reports nothing', async () => {
    expect(await probe('GET')).toEqual({ status: 200, text: '{"code":"ready"}' });
    expect((await probe('HEAD')).status).toBe(200);
    expect(reported).toEqual([]);
  });

  it('by another method is answered with 405, and reports nothing', async () => {
    for (const method of ['OPTIONS', 'DELETE'])
      expect(await probe(method)).toEqual({ status: 405, text: '{"code":"not_post"}' });
    expect(reported).toEqual([]);
  });
});

it('a 405 names the method that is allowed', async () => {
  expect((await fetch(nodeUrl, { method: 'OPTIONS' })).headers.get('allow')).toBe('POST');
});

describe('an adapter never rejects, and answers', () => {
  /** Gives a request the body of some platforms' helpers: reading it parses it, and throws if that fails. */
  const parsedLazily = (request: object) =>
    Object.defineProperty(request, 'body', {
      get: () => {
        throw new SyntaxError('Invalid JSON');
      },
    });
  const lazily = (drain: boolean) =>
    listen((request, response) => {
      const handle = () => void expressHandler(receiver)(parsedLazily(request) as typeof request, response);
      if (drain) request.resume().on('end', handle);
      else handle();
    });

  it('an event whose request has a body that throws, but is unread', async () => {
    const { headers, body } = await signedDelivery({ event: sampleEvent('bot.created'), key });
    expect((await fetch(await lazily(false), { method: 'POST', headers, body })).status).toBe(200);
  });

  it('with what to change, when a body that throws is all that is left', async () => {
    const { headers, body } = await signedDelivery({ key });
    expect((await fetch(await lazily(true), { method: 'POST', headers, body })).status).toBe(500);
    expect(reported.map(({ code, message }) => [code, message])).toEqual([
      ['body_already_parsed', expect.stringContaining('above app.use(express.json())')],
    ]);
  });

  it('before its promise resolves, which is what Next’s pages/api waits for', async () => {
    const ended: boolean[] = [];
    const handle = nodeListener(receiver);
    const url = await listen((request, response) => {
      void Promise.resolve(handle(request, response)).then(() => ended.push(response.writableEnded));
    });
    const { headers, body } = await signedDelivery({ key });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    await expect.poll(() => ended).toEqual([true]);
  });
});

it('every handler declares what its framework passes: Deno passes no request to a function without parameters', () => {
  const one = [fetchHandler, honoHandler, koaHandler, lambdaHandler].map((handler) => handler(receiver).length);
  const two = [expressHandler, nodeListener].map((handler) => handler(receiver).length);
  expect([one, two]).toEqual([
    [1, 1, 1, 1],
    [2, 2],
  ]);
});

it('fastify waits for the rest of a raw body that is being kept', async () => {
  const { headers, body } = await signedDelivery({ key });
  const post = async (bytes: Buffer) => {
    const request = httpRequest(keptFastifyUrl, { method: 'POST', headers });
    request.write(bytes.subarray(0, 10));
    setTimeout(() => request.end(bytes.subarray(10)), 100);
    const [{ statusCode }] = (await once(request, 'response')) as [{ statusCode: number }];
    return statusCode;
  };
  expect(await post(Buffer.from(body))).toBe(200);
  expect(await post(Buffer.from(huge.body))).toBe(413);
});

it('fastify keeps the parsers and limits of other routes', async () => {
  const url = fastifyUrl.replace('/hooks', '/other');
  const post = (text: string) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(text) });
  expect(await (await post('short')).json()).toEqual({ body: 'short' });
  expect((await post('x'.repeat(200))).status).toBe(413);
});

it('node takes HTTP/2', async () => {
  const server = createHttp2Server(nodeListener(receiver)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { headers, body } = await signedDelivery({ key });
  const stream = session.request({ ':method': 'POST', ':path': '/', ...headers });
  stream.end(body);
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  expect(answered[':status']).toBe(200);
  session.close();
  server.close();
});

it('lambda refuses an event without a body or headers', async () => {
  const handle = lambdaHandler(receiver);
  const { headers } = await signedDelivery({ key });
  expect((await handle({ headers })).statusCode).toBe(401);
  expect((await handle({ httpMethod: 'POST', headers: null })).statusCode).toBe(415);
});
