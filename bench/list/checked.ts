/**
 * The limit for responses that are never stale: the bare server, after one check of Redis that serves all requests that
 * wait when it is sent. It sends the same check as the directory, and ignores the reply.
 */
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { keys } from '../../packages/server/src/store/keys.ts';
import { scripts } from '../../packages/server/src/store/scripts.ts';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';
import type { Prepared } from './prepared.ts';

export type CheckedCalls = typeof calls;

let status = 200;
let headers: string[] = [];
let body = Buffer.alloc(0);

/** Runs one check after the other. Each serves all requests that waited when it was sent. */
const shared = (check: () => Promise<unknown>): (() => Promise<unknown>) => {
  let underWay = Promise.resolve<unknown>(undefined);
  let next: Promise<unknown> | undefined;
  return () =>
    (next ??= underWay.then(() => {
      next = undefined;
      return (underWay = check());
    }));
};

const calls = {
  /** Gives its port. */
  start: async ({ redisUrl }: { redisUrl: string }): Promise<number> => {
    const redis = new Redis(redisUrl);
    const { sha, source } = scripts['read-changes'];
    await redis.script('LOAD', source);
    const [epoch, , latest] = (await redis.evalsha(sha, 1, keys.state, 0, '', 0)) as string[];
    const fresh = shared(() => redis.evalsha(sha, 1, keys.state, latest ?? 0, epoch ?? '', 0));
    return listen(
      createServer((_request, response) => {
        void fresh().then(() => response.writeHead(status, headers).end(body));
      }),
    );
  },
  /** Sets the response from now on. */
  prepare: (answer: Prepared) => {
    [status, headers, body] = [answer.status, [...answer.headers], Buffer.from(answer.body, 'base64')];
  },
};

answerCalls(calls);
