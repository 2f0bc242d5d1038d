/** Peer: fastify that sends a prepared buffer. */
import fastify from 'fastify';
import { answerCalls } from '../support/child.ts';
import { portOf } from '../support/listen.ts';
import { headersObject, type Prepared } from './prepared.ts';

let status = 200;
let headers: Record<string, string> = {};
let body = Buffer.alloc(0);

const app = fastify();
app.get('/api/bots', (_request, reply) => {
  void reply.code(status).headers(headers).send(body);
});

answerCalls({
  start: async (): Promise<number> => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    return portOf(app.server);
  },
  prepare: (answer: Prepared) => {
    [status, headers, body] = [answer.status, headersObject(answer), Buffer.from(answer.body, 'base64')];
  },
});
