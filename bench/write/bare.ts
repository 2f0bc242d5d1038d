/**
 * The limit: an Express handler that parses JSON and runs the directory's own script, and checks nothing. It fetches
 * the template only if it is started with `templateOrigin`. Express has the classes that make it fast in the server.
 */
import { createServer } from 'node:http';
import express from 'express';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { createIds } from '../../packages/server/src/base/ids.ts';
import type { TemplateId } from '../../packages/server/src/domain/links.ts';
import { expressClasses } from '../../packages/server/src/http/node-internals.ts';
import { createBotStore } from '../../packages/server/src/store/bots/bot-store.ts';
import { storeOf, type Send, type Store } from '../../packages/server/src/redis/redis.ts';
import { runScript } from '../../packages/server/src/redis/scripts.ts';
import { templateOf } from '../support/bots.ts';
import { answerCalls } from '../support/child.ts';
import { listen } from '../support/listen.ts';

export type BareCalls = typeof calls;

/** `templateOrigin` undefined: the template is known already. */
export type BareOptions = {
  readonly redisUrl: string;
  readonly baseUrl: string;
  readonly templateOrigin: string | undefined;
};

type Template = ReturnType<typeof templateOf>;

const ids = createIds(Date.now);

const calls = {
  /** Gives its port. */
  start: ({ redisUrl, templateOrigin }: BareOptions): Promise<number> => {
    const bots = createBotStore(bareStore(new Redis(redisUrl)));
    const dispatcher = new Agent();
    const known = templateOf(0);
    const app = express().disable('x-powered-by').disable('etag');
    app.post('/api/bots/submit', express.json(), async (req, res) => {
      const { link } = req.body as { link: string };
      const templateId = link.slice(link.lastIndexOf('/') + 1) as TemplateId;
      const template =
        templateOrigin === undefined
          ? known
          : ((await (await request(`${templateOrigin}/bot/${templateId}`, { dispatcher })).body.json()) as Template);
      const draft = draftWith({ ...template, id: ids.bot(), templateId, link, wantedSlug: templateId });
      res.json(await bots.publish(draft, ids.event(), unblocked));
    });
    return listen(createServer(expressClasses(app), app));
  },
  /** Returns the CPU time of its process, in microseconds. */
  cpuUs: (): number => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

/** Makes a store that does nothing but run scripts: no deadline, no metrics, one connection. */
const bareStore = (redis: Redis): Store => {
  const send: Send = (request) =>
    'use' in request ? request.use(redis) : (runScript((use) => use(redis), request.script, request) as Promise<never>);
  const known = { highest: 0, see: () => undefined };
  return storeOf({ send, known } as unknown as Store);
};

answerCalls(calls);
