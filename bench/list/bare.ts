/**
 * The limits: `node:http` that writes one prepared response to every request, at once or after the check of a server
 * that is never stale.
 */
import { createServer } from 'node:http';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import { createCheck, type PeerOptions } from './check.ts';
import type { Prepared } from './prepared.ts';

export type StaticCalls = typeof calls;

let status = 200;
let headers: string[] = [];
let body = Buffer.alloc(0);

const calls = {
  /** Gives its port. */
  start: async (options: PeerOptions): Promise<number> => {
    const check = await createCheck(options);
    return listen(
      createServer((_request, response) => {
        if (check === undefined) response.writeHead(status, headers).end(body);
        else void check().then(() => response.writeHead(status, headers).end(body));
      }),
    );
  },
  /** Sets the response from now on. */
  prepare: (answer: Prepared) => {
    [status, headers, body] = [answer.status, [...answer.headers], Buffer.from(answer.body, 'base64')];
  },
};

answerCalls(calls);
