/** Peer: hono on Node that sends a prepared buffer. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import { headersObject, type Prepared } from './prepared.ts';

let status = 200;
let headers: Record<string, string> = {};
let body: Uint8Array<ArrayBuffer> | null = null;

const app = new Hono();
app.get('/api/bots', () => new Response(body, { status, headers }));

const respond = getRequestListener(app.fetch);

answerCalls({
  start: () => listen(createServer((request, response) => void respond(request, response))),
  prepare: (answer: Prepared) => {
    [status, headers, body] = [
      answer.status,
      headersObject(answer),
      answer.body === '' ? null : new Uint8Array(Buffer.from(answer.body, 'base64')),
    ];
  },
});
