/** Peer: hono on Node that sends a prepared buffer, at once or after the check. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import { createCheck, type PeerOptions } from './check.ts';
import { headersObject, servedPaths, type Prepared } from './prepared.ts';

let status = 200;
let headers: Record<string, string> = {};
let body: Uint8Array<ArrayBuffer> | null = null;

answerCalls({
  start: async (options: PeerOptions): Promise<number> => {
    const check = await createCheck(options);
    const app = new Hono();
    const answer = (): Response => new Response(body, { status, headers });
    app.on('GET', [...servedPaths], check === undefined ? answer : () => check().then(answer));
    const respond = getRequestListener(app.fetch);
    return listen(createServer((request, response) => void respond(request, response)));
  },
  prepare: (answer: Prepared) => {
    [status, headers, body] = [
      answer.status,
      headersObject(answer),
      answer.body === '' ? null : new Uint8Array(Buffer.from(answer.body, 'base64')),
    ];
  },
});
