/**
 * What frameworks pass to a handler is often a wrapper of the request. Every adapter finds the request in it, or says
 * which framework it found and what to change there. None rejects, whatever it is given.
 */
import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import middy from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import { All, Controller, type INestApplication, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express from 'express';
import { type Lifecycle, server as createHapi } from '@hapi/hapi';
import { Elysia } from 'elysia';
import fastify, { type FastifyInstance } from 'fastify';
import { defineHandler, H3 } from 'h3-2';
import { createApp, eventHandler, toNodeListener, toWebRequest } from 'h3';
import { Hono } from 'hono';
import Koa from 'koa';
import { serve } from 'micro';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { expressHandler, type ExpressRequest, type ExpressResponse } from '@bot-directory/webhook-receiver/express';
import { fastifyPlugin } from '@bot-directory/webhook-receiver/fastify';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
import { honoHandler } from '@bot-directory/webhook-receiver/hono';
import { koaHandler } from '@bot-directory/webhook-receiver/koa';
import { lambdaHandler } from '@bot-directory/webhook-receiver/lambda';
import { nodeListener } from '@bot-directory/webhook-receiver/node';
import { createReceiver, type WebhookError } from '@bot-directory/webhook-receiver';
import { generateSecret, type SignedDelivery, signedDelivery } from '@bot-directory/webhook-receiver/testing';

const key = generateSecret();
const reported: WebhookError[] = [];
beforeEach(() => void (reported.length = 0));
const rawOf = (given: object): never => (given as { raw: never }).raw;
const receiver = createReceiver({ keys: key, on: { ping: () => 'done' }, onError: (error) => reported.push(error) });
type Handle = (request: ExpressRequest, response: ExpressResponse) => unknown;
const onExpress = expressHandler(receiver);
/** Called as JavaScript calls it: Fastify's request is not of the declared type. */
const onNode = nodeListener(receiver) as Handle;

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

/** Sends a request and returns the status and code of the response. */
type Send = (delivery: Partial<SignedDelivery> & { method?: string }) => Promise<[number, unknown]>;
const answered = async (response: Response): Promise<[number, unknown]> => [
  response.status,
  ((await response.json()) as { code?: unknown }).code,
];
const to =
  (url: string): Send =>
  async (init) =>
    answered(await fetch(url, { method: 'POST', ...init }));

const listen = async (listener: RequestListener): Promise<Send> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return to(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
};

const inFastify = async (app: FastifyInstance, handle: Handle): Promise<Send> => {
  app.all('/hooks', (request, reply) => handle(request, reply));
  closers.push(() => app.close());
  return to(`${await app.listen({ port: 0, host: '127.0.0.1' })}/hooks`);
};

/** Keeps a request's bytes as `rawBody`, as fastify-raw-body does. */
const keepsBytes = (): FastifyInstance => {
  const app = fastify();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    Object.assign(request, { rawBody: body });
    done(null, JSON.parse(body.toString()));
  });
  return app;
};

/** A NestJS application whose controller calls the handler, on Express or on Fastify. */
const inNest = async (platform: 'express' | 'fastify', rawBody: boolean, handle: Handle = onExpress): Promise<Send> => {
  class Hooks {
    receive(request: ExpressRequest, response: ExpressResponse) {
      return handle(request, response);
    }
  }
  // oxlint-disable-next-line typescript/no-extraneous-class -- a module of NestJS is one
  class Application {}
  const { prototype } = Hooks;
  Controller('hooks')(Hooks);
  All()(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {});
  Req()(prototype, 'receive', 0);
  Res()(prototype, 'receive', 1);
  Module({ controllers: [Hooks] })(Application);
  const app: INestApplication =
    platform === 'fastify'
      ? await NestFactory.create(Application, new FastifyAdapter(), { rawBody, logger: false })
      : await NestFactory.create(Application, { rawBody, logger: false });
  await app.listen(0, '127.0.0.1');
  closers.push(() => app.close());
  return to(`${await app.getUrl()}/hooks`);
};

const viaRequest =
  (call: (request: Request) => Promise<Response>): Send =>
  async (init) =>
    answered(await call(new Request('https://a.example/hooks', { method: 'POST', ...init })));
/** Called as JavaScript calls it: a wrapper is not of the declared type. */
const fetchWith = fetchHandler(receiver) as (given: unknown) => Promise<Response>;
const inHono = (app: Hono): Send => {
  app.all('/hooks', (context) => fetchWith(context));
  return viaRequest(async (request) => app.request(request));
};

/** h3 1 on Node, as Nitro and Nuxt use it: its event has headers, and no request. */
const inH3 = (handle: (event: Parameters<typeof toWebRequest>[0]) => unknown): Promise<Send> =>
  listen(toNodeListener(createApp().use('/hooks', eventHandler(handle))));
const inElysia = (given: 'request' | 'context', options: { parse?: 'none' }): Send => {
  const handle = (context: { request: Request }) => fetchWith(given === 'request' ? context.request : context);
  const app = new Elysia().all('/hooks', handle, options);
  return viaRequest((request) => app.handle(request));
};
const inHapi = async (handle: (raw: { req: IncomingMessage; res: ServerResponse }) => Promise<unknown>) => {
  const app = createHapi({ port: 0, host: '127.0.0.1' });
  const handler: Lifecycle.Method = async ({ raw }, { abandon }) => {
    await handle(raw);
    return abandon;
  };
  app.route({ method: 'POST', path: '/hooks', options: { payload: { parse: false, output: 'stream' } }, handler });
  app.route({ method: 'GET', path: '/hooks', handler });
  await app.start();
  closers.push(() => app.stop());
  return to(`${app.info.uri}/hooks`);
};

describe.each<[string, () => Send | Promise<Send>]>([
  ['fetchHandler in h3 1, given its web request', () => inH3((event) => fetchWith(toWebRequest(event)))],
  [
    'fetchHandler in h3 2, given its event',
    () => viaRequest((request) => Promise.resolve(new H3().all('/hooks', defineHandler(fetchWith)).request(request))),
  ],
  ['fetchHandler in Elysia, given the request', () => inElysia('request', { parse: 'none' })],
  ['fetchHandler in Elysia, given its context', () => inElysia('context', { parse: 'none' })],
  ['nodeListener in hapi', () => inHapi(({ req, res }) => Promise.resolve(nodeListener(receiver)(req, res)))],
  ['nodeListener in micro', () => listen(serve(nodeListener(receiver)))],
  ['expressHandler in NestJS on Express', () => inNest('express', true)],
  ['expressHandler in NestJS on Fastify', () => inNest('fastify', true)],
  ['expressHandler in Fastify', () => inFastify(keepsBytes(), onExpress)],
  ['nodeListener in NestJS on Fastify', () => inNest('fastify', true, onNode)],
  ['nodeListener in Express', () => listen(express().all('/hooks', onNode))],
  [
    'fastifyPlugin',
    async () => {
      const app = fastify();
      await app.register(fastifyPlugin(receiver, '/hooks'));
      closers.push(() => app.close());
      return to(`${await app.listen({ port: 0, host: '127.0.0.1' })}/hooks`);
    },
  ],
  ['fetchHandler given an event with a request', () => viaRequest((request) => fetchWith({ request }))],
  ['fetchHandler given an event of h3', () => viaRequest((req) => fetchWith({ req }))],
  ['fetchHandler in Hono', () => inHono(new Hono())],
  [
    'fetchHandler in Hono, behind middleware that read the text',
    () => inHono(new Hono().use(async ({ req }, next) => (await req.text(), next()))),
  ],
  ['honoHandler given a Request', () => viaRequest(honoHandler(receiver) as unknown as typeof fetchWith)],
])('%s', (_, start) => {
  it('handles an event, and answers a health check', async () => {
    const send = await start();
    expect(await send(await signedDelivery({ key }))).toEqual([200, 'handled']);
    expect(await send({ method: 'GET' })).toEqual([200, 'ready']);
    expect(reported).toEqual([]);
  });
});

const viaMiddy = (isBase64Encoded: boolean): Send => {
  const handler = middy(lambdaHandler(receiver)).use(jsonBodyParser());
  return async ({ headers, body = '' }) => {
    const text = Buffer.from(body).toString(isBase64Encoded ? 'base64' : 'utf8');
    const result = await handler({ headers, body: text, isBase64Encoded } as never, {} as never);
    return answered(new Response(result.body, { status: result.statusCode }));
  };
};

describe('what nothing kept the bytes of is refused, with what to change in', () => {
  it.each<[string, string, () => Send | Promise<Send>]>([
    ['NestJS on Express', '{ rawBody: true }', () => inNest('express', false)],
    ['NestJS on Fastify', 'in NestJS, pass { rawBody: true }', () => inNest('fastify', false)],
    ['Fastify', 'in Fastify, use fastifyPlugin', () => inFastify(fastify(), onExpress)],
    ['Fastify, with nodeListener', 'in Fastify, use fastifyPlugin', () => inFastify(fastify(), onNode)],
    ['NestJS on Fastify, with nodeListener', 'in NestJS, expressHandler', () => inNest('fastify', false, onNode)],
    ['Express', 'above app.use(express.json())', () => listen(express().use(express.json()).use(onExpress))],
    ['Express, with nodeListener', 'such as express.json()', () => listen(express().use(express.json(), onNode))],
    [
      'NestJS on Fastify, given the raw request',
      'the request of @Req(), not its raw',
      () => inNest('fastify', true, (request, response) => onExpress(rawOf(request), rawOf(response))),
    ],
    ['Elysia', 'pass a Request unread', () => inElysia('request', {})],
    ['Lambda', 'httpJsonBodyParser', () => viaMiddy(false)],
    ['Lambda, in base64', 'httpJsonBodyParser', () => viaMiddy(true)],
  ])('%s', async (_, advice, start) => {
    const send = await start();
    expect(await send(await signedDelivery({ key }))).toEqual([500, 'body_already_parsed']);
    expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining(advice)]);
    // Only the framework that was found.
    if (advice.includes('Fastify')) expect(reported[0]?.message).not.toContain('Express');
  });
});

it('An event of h3 1 is no request: the first says what to pass', async () => {
  const send = await inH3((event) => fetchWith(event));
  expect(await send(await signedDelivery({ key }))).toEqual([500, 'invalid_configuration']);
  expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining('toWebRequest')]);
});

it('A listener returns nothing, which micro would send and Next warns of', async () => {
  const returned: unknown[] = [];
  const send = await listen((request, response) => {
    void Promise.resolve(nodeListener(receiver)(request, response)).then((value) => returned.push(value));
  });
  expect(await send(await signedDelivery({ key }))).toEqual([200, 'handled']);
  await expect.poll(() => returned).toEqual([undefined]);
});

type Call = (...given: never[]) => unknown;
const adapters: Record<string, { call: Call; says: string }> = {
  expressHandler: { call: onExpress, says: "Node's request" },
  nodeListener: { call: onNode, says: "Node's request" },
  koaHandler: { call: koaHandler(receiver), says: "Koa's context" },
  fetchHandler: { call: fetchHandler(receiver), says: 'pass a Request' },
  honoHandler: { call: honoHandler(receiver), says: 'pass a Request' },
};

describe.each(Object.entries(adapters))('%s', (_, { call, says }) => {
  const event = { Records: [{ messageId: '1', body: '{}' }] };
  it.each([
    ['nothing', []],
    ['null', [null, null]],
    ['text', ['POST', '/hooks']],
    ['an empty object', [{}, {}]],
    ['an event of a queue', [event, {}]],
  ])('given %s, resolves and reports what it needs', async (_, given) => {
    await call(...(given as never[]));
    expect(reported.map(({ code, message }) => [code, message])).toEqual([
      ['invalid_configuration', expect.stringContaining(says)],
    ]);
  });
});

describe('the arguments of another framework', () => {
  it.each(Object.entries(adapters))('leave %s without a rejection', async (_, { call }) => {
    const given: unknown[][] = [[new Request('https://a.example', { method: 'POST', body: '{}' }), {}]];
    const koa = new Koa().use((context, next) => {
      given.push([context, next]);
      context.body = {};
    });
    await (
      await listen((request, response) => void koa.callback()(request, response))
    )({ body: '{}' });
    await (
      await listen((request, response) => {
        given.push([request, {}]);
        response.end('{}');
      })
    )({ body: '{}' });
    for (const one of given) await call(...(one as never[]));
    const foreign = reported.filter(({ code }) => code === 'invalid_configuration');
    expect([given.length, foreign.length]).toEqual([3, 2]);
  });
});

describe('lambdaHandler', () => {
  const handle = lambdaHandler(receiver) as (event: unknown) => ReturnType<ReturnType<typeof lambdaHandler>>;

  it.each([
    ['null', null],
    ['nothing', undefined],
    ['{}', {}],
    ['a warm-up plugin', { source: 'serverless-plugin-warmup' }],
    ['lambda-warmer', { warmer: true, concurrency: 3 }],
    [
      'a schedule',
      { version: '0', id: '1', 'detail-type': 'Scheduled Event', source: 'aws.events', resources: [], detail: {} },
    ],
  ])('is warmed up by %s, without a line', async (_, event) => {
    expect(await handle(event)).toMatchObject({ statusCode: 200, body: '{"code":"ready"}' });
    expect(reported).toEqual([]);
  });

  it.each([
    ['a queue', { Records: [{ messageId: '1', body: '{}', eventSource: 'aws:sqs' }] }],
    ['a bus', { source: 'app', 'detail-type': 'Order', detail: { id: 1 } }],
    ['a call with a body alone', { body: '{}' }],
  ])('reports an event of %s, which is no request', async (_, event) => {
    expect(await handle(event)).toMatchObject({ statusCode: 500, body: '{"code":"invalid_configuration"}' });
    expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining('function URL')]);
  });
});
