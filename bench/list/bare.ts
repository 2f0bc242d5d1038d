/** The limit: `node:http` that writes one prepared response to every request. */
import { createServer } from 'node:http';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import type { Prepared } from './prepared.ts';

export type StaticCalls = typeof calls;

let status = 200;
let headers: string[] = [];
let body = Buffer.alloc(0);

const server = createServer((_request, response) => {
  response.writeHead(status, headers).end(body);
});

const calls = {
  /** Gives its port. */
  start: () => listen(server),
  /** Sets the response from now on. */
  prepare: (answer: Prepared) => {
    [status, headers, body] = [answer.status, [...answer.headers], Buffer.from(answer.body, 'base64')];
  },
};

answerCalls(calls);
