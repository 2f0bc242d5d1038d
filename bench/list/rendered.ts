/**
 * Peer of the home page: `node:http` that renders it for each request, from bots in memory, and does not compress it.
 */
import { createServer } from 'node:http';
import { page } from '@bot-directory/site';
import { pageHeaders } from '../../packages/server/src/site/site.ts';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import { homeOf } from './home.ts';

export type RenderedCalls = typeof calls;

const calls = {
  /** Gives its port. */
  start: async (baseUrl: string): Promise<number> => {
    const { frame, view } = await homeOf(baseUrl);
    const headers = [...pageHeaders(), 'Content-Type', 'text/html; charset=utf-8', 'ETag', '"none"'];
    return listen(
      createServer((_request, response) => {
        const body = Buffer.from(page(frame, view));
        response.writeHead(200, [...headers, 'Content-Length', String(body.length)]).end(body);
      }),
    );
  },
};

answerCalls(calls);
