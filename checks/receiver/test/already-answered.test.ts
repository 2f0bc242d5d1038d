/** If the user's own time-out has responded first, that response stands, and the process survives. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { expressHandler } from '@bot-directory/webhook-receiver/express';
import { fastifyPlugin } from '@bot-directory/webhook-receiver/fastify';
import { koaHandler } from '@bot-directory/webhook-receiver/koa';
import { nodeListener } from '@bot-directory/webhook-receiver/node';
import { createReceiver } from '@bot-directory/webhook-receiver';
import { generateSecret, signedDelivery } from '@bot-directory/webhook-receiver/testing';

const key = generateSecret();
let handled: (() => void)[] = [];
const receiver = createReceiver({ keys: key, on: { ping: () => handled.forEach((tell) => tell()) } });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Responds as soon as the request begins, and ends the response once the receiver has had its chance to write its own.
 */
const timeOut = (response: ServerResponse): void => {
  response.writeHead(503).write('late');
  handled.push(() => void turn().then(() => response.end()));
};

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);
beforeEach(() => {
  handled = [];
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => void process.off('unhandledRejection', note));

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

const inExpress = () => {
  const handle = expressHandler(receiver);
  const app = express().use((_, response, next) => {
    timeOut(response);
    next();
  });
  // Called as by Express 4, which does not catch what a handler rejects with.
  return listen(app.post('/', (request, response) => void handle(request, response)));
};

const inFastify = async () => {
  const app = fastify().addHook('onRequest', (_, { raw }, done) => {
    timeOut(raw);
    done();
  });
  closers.push(() => app.close());
  await app.register(fastifyPlugin(receiver));
  return app.listen({ port: 0, host: '127.0.0.1' });
};

const inKoa = () => {
  const app = new Koa().use((context, next) => {
    context.respond = false;
    timeOut(context.res);
    return next();
  });
  const callback = app.use(koaHandler(receiver)).callback();
  return listen((request, response) => void callback(request, response));
};

const inNode = () => {
  const handle = nodeListener(receiver);
  return listen((request, response) => {
    timeOut(response);
    handle(request, response);
  });
};

it.each([
  ['express', inExpress],
  ['fastify', inFastify],
  ['koa', inKoa],
  ['node', inNode],
])('%s', async (_, serve) => {
  const { headers, body } = await signedDelivery({ key });
  const request = httpRequest(await serve(), { method: 'POST', headers });
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as Parameters<NonNullable<Parameters<typeof httpRequest>[2]>>;
  request.end(body);
  expect([response.statusCode, await text(response)]).toEqual([503, 'late']);
  await turn();
  expect(unhandled).toEqual([]);
});
