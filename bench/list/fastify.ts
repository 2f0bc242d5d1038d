/** Peer: fastify that sends a prepared buffer, at once or after the check. */
import fastify from 'fastify';
import { answerCalls } from '../support/child.ts';
import { portOf } from '../support/listen.ts';
import { createCheck, type PeerOptions } from './check.ts';
import { headersObject, servedPaths, type Prepared } from './prepared.ts';

let status = 200;
let headers: Record<string, string> = {};
let body = Buffer.alloc(0);

answerCalls({
  start: async (options: PeerOptions): Promise<number> => {
    const check = await createCheck(options);
    const app = fastify();
    for (const path of servedPaths)
      app.get(path, (_request, reply) => {
        const send = (): void => void reply.code(status).headers(headers).send(body);
        if (check === undefined) send();
        else void check().then(send);
      });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return portOf(app.server);
  },
  prepare: (answer: Prepared) => {
    [status, headers, body] = [answer.status, headersObject(answer), Buffer.from(answer.body, 'base64')];
  },
});
