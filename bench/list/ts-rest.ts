/** Peer: the obvious first version. A ts-rest handler on Express reads every bot from Redis and returns an array. */
import { createServer } from 'node:http';
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer } from '@ts-rest/express';
import { readRoutes } from '@bot-directory/contract';
import express from 'express';
import { Redis } from 'ioredis';
import type { BotId } from '../../packages/server/src/base/ids.ts';
import { botFromHash } from '../../packages/server/src/domain/bot.ts';
import { keys } from '../../packages/server/src/store/keys.ts';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';

export type TsRestCalls = typeof calls;

const calls = {
  /** Gives its port. */
  start: ({ redisUrl, baseUrl }: { redisUrl: string; baseUrl: string }): Promise<number> => {
    const redis = new Redis(redisUrl, { enableAutoPipelining: true });
    const contract = initContract().router({ listBots: readRoutes.listBots });
    const router = initServer().router(contract, {
      listBots: async ({ query: { limit = 0 } }) => {
        const ids = await redis.zrevrange(keys.bots, 0, limit - 1);
        const hashes = await Promise.all(ids.map((id) => redis.hgetall(keys.bot(id as BotId))));
        return {
          status: 200 as const,
          body: hashes.map((hash) => botFromHash(new Map(Object.entries(hash)), { baseUrl }).bot),
        };
      },
    });
    const app = express();
    createExpressEndpoints(contract, router, app, { logInitialization: false });
    return listen(createServer(app));
  },
};

answerCalls(calls);
