/** Peer: Express as it is installed, which sends a prepared buffer, at once or after the check. */
import { createServer } from 'node:http';
import express from 'express';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import { createCheck, type PeerOptions } from './check.ts';
import { servedPaths, type Prepared } from './prepared.ts';

let status = 200;
let headers: string[] = [];
let body = Buffer.alloc(0);

answerCalls({
  start: async (options: PeerOptions): Promise<number> => {
    const check = await createCheck(options);
    const app = express();
    app.disable('x-powered-by');
    app.get([...servedPaths], (_request, response) => {
      if (check === undefined) response.writeHead(status, headers).end(body);
      else void check().then(() => response.writeHead(status, headers).end(body));
    });
    return listen(createServer(app));
  },
  prepare: (answer: Prepared) => {
    [status, headers, body] = [answer.status, [...answer.headers], Buffer.from(answer.body, 'base64')];
  },
});
