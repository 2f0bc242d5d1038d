/** A template provider in a process of its own: any `/bot/t<number>` is a template. */
import { createServer } from 'node:http';
import { templateOf } from './bots.ts';
import { answerCalls } from './child.ts';
import { listen } from './listen.ts';

export type ProviderCalls = typeof calls;

const server = createServer((request, response) => {
  const body = JSON.stringify(templateOf(Number(request.url?.slice('/bot/t'.length))));
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
});

const calls = {
  /** Gives its port. */
  start: () => listen(server),
};

answerCalls(calls);
