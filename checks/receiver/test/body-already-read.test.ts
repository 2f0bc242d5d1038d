/** If something has read the body and kept no bytes, the error says what to change, in each framework. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { expressHandler } from '@bot-directory/webhook-receiver/express';
import { fastifyPlugin } from '@bot-directory/webhook-receiver/fastify';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
import { honoHandler } from '@bot-directory/webhook-receiver/hono';
import { koaHandler } from '@bot-directory/webhook-receiver/koa';
import { lambdaHandler } from '@bot-directory/webhook-receiver/lambda';
import { nodeListener } from '@bot-directory/webhook-receiver/node';
import { BodyParsedError, createReceiver, type WebhookError } from '@bot-directory/webhook-receiver';
import { generateSecret, type SignedDelivery, signedDelivery } from '@bot-directory/webhook-receiver/testing';

const key = generateSecret();
const reported: WebhookError[] = [];
beforeEach(() => void (reported.length = 0));
const receiver = createReceiver({
  keys: key,
  on: { ping: () => expect.unreachable() },
  onError: (error) => reported.push(error),
});

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));
const served = async (listener: RequestListener, { headers, body }: SignedDelivery): Promise<number> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return (await fetch(url, { method: 'POST', headers, body, duplex: 'half' })).status;
};

const drain: Koa.Middleware = async ({ req }, next) => {
  await text(req);
  return next();
};

const viaExpress = (delivery: SignedDelivery) =>
  served(express().use(express.json()).post('/', expressHandler(receiver)), delivery);

const viaKoa = (delivery: SignedDelivery) => {
  const callback = new Koa().use(drain).use(koaHandler(receiver)).callback();
  return served((request, response) => void callback(request, response), delivery);
};

const viaNode = (delivery: SignedDelivery) => {
  const listener = nodeListener(receiver);
  return served((request, response) => {
    request.resume().on('end', () => listener(request, response));
  }, delivery);
};

const viaFastify = async ({ headers, body }: SignedDelivery) => {
  const app = fastify().addHook('preHandler', ({ body }) => text(body as Readable));
  await app.register(fastifyPlugin(receiver));
  closers.push(() => app.close());
  return (await fetch(await app.listen({ port: 0, host: '127.0.0.1' }), { method: 'POST', headers, body })).status;
};

const viaFastifyParser = async ({ headers, body }: SignedDelivery) => {
  const app = fastify().addHook('preHandler', async (request) => {
    request.body = JSON.parse(await text(request.body as Readable));
  });
  await app.register(fastifyPlugin(receiver));
  return (await app.inject({ method: 'POST', url: '/', headers, payload: Buffer.from(body) })).statusCode;
};

const viaNodePartly = ({ headers, body }: SignedDelivery) => {
  const listener = nodeListener(receiver);
  const inTwo = new Blob([body as string]).stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        controller.enqueue(bytes.subarray(0, 10));
        await new Promise((resolve) => setTimeout(resolve, 50));
        controller.enqueue(bytes.subarray(10));
      },
    }),
  );
  const server: RequestListener = (request, response) => {
    request.once('data', () => listener(request, response));
  };
  return served(server, { headers, body: inTwo as never });
};

const viaLocked = async (delivery: SignedDelivery) => {
  const request = new Request('https://a.example', { method: 'POST', ...delivery });
  request.body?.getReader();
  return (await fetchHandler(receiver)(request)).status;
};

const viaFetch = async (delivery: SignedDelivery) => {
  const request = new Request('https://a.example', { method: 'POST', ...delivery });
  await request.json();
  return (await fetchHandler(receiver)(request)).status;
};

const viaHono = async (delivery: SignedDelivery) => {
  const app = new Hono().use(async ({ req }, next) => (await req.raw.json(), next())).post('/', honoHandler(receiver));
  return (await app.request('/', { method: 'POST', ...delivery })).status;
};

const viaHonoLocked = async (delivery: SignedDelivery) => {
  const app = new Hono().use(({ req }, next) => (req.raw.body?.getReader(), next())).post('/', honoHandler(receiver));
  return (await app.request('/', { method: 'POST', ...delivery })).status;
};

const viaLambda = async ({ headers }: SignedDelivery) =>
  (await lambdaHandler(receiver)({ headers, body: '*', isBase64Encoded: true })).statusCode;

it.each<[string, string, (delivery: SignedDelivery) => Promise<number>]>([
  ['express', 'above app.use(express.json())', viaExpress],
  ['koa', 'in Koa', viaKoa],
  ['node', 'before anything reads the request', viaNode],
  ['node in Next’s pages/api', 'api: { bodyParser: false }', viaNode],
  ['node, of which a part is gone', 'before anything reads the request', viaNodePartly],
  ['fastify', 'as request.rawBody', viaFastify],
  ['fastify, parsed in a hook', 'as request.rawBody', viaFastifyParser],
  ['fetch', 'clone()', viaFetch],
  ['fetch, with a reader', 'clone()', viaLocked],
  ['hono', 'c.req.text()', viaHono],
  ['hono, with a reader', 'c.req.text()', viaHonoLocked],
  ['lambda', 'not base64', viaLambda],
])('%s says so in its own words', async (_, words, post) => {
  expect(await post(await signedDelivery({ key }))).toBe(500);
  expect(reported).toHaveLength(1);
  expect(reported[0]).toBeInstanceOf(BodyParsedError);
  expect(reported[0]?.message).toContain(words);
});
