/**
 * The limit: an Express handler that parses JSON and runs the directory's own script, and checks nothing. It asks the
 * template provider only if that is asked of it. Express has the classes that make it fast.
 */
import { createServer } from 'node:http';
import express from 'express';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';
import { draftWith } from '@bot-directory/testing/draft';
import { createIds } from '../../packages/server/src/base/ids.ts';
import { type BotDraft, draftedBot } from '../../packages/server/src/domain/bot.ts';
import { botCreated } from '../../packages/server/src/domain/event.ts';
import type { TemplateId } from '../../packages/server/src/domain/links.ts';
import { expressClasses } from '../../packages/server/src/http/express-app.ts';
import { eventArgs } from '../../packages/server/src/store/event-log.ts';
import { keys } from '../../packages/server/src/store/keys.ts';
import { runScript } from '../../packages/server/src/store/redis.ts';
import { scripts } from '../../packages/server/src/store/scripts.ts';
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
  start: ({ redisUrl, baseUrl, templateOrigin }: BareOptions): Promise<number> => {
    const redis = new Redis(redisUrl);
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
      res.json({ slug: await publish(redis, draft, baseUrl) });
    });
    return listen(createServer(expressClasses(app), app));
  },
  /** What its process has taken of a core, in microseconds. */
  cpuUs: (): number => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

const publish = async (redis: Redis, draft: BotDraft, baseUrl: string): Promise<string> => {
  const eventId = ids.event();
  const { id, slug, created_at: _, ...hash } = draftedBot(draft, { slug: draft.wantedSlug, createdAtMs: 0 }, baseUrl);
  const event = botCreated(eventId, draft, baseUrl);
  const [, published] = (await runScript((use) => use(redis), scripts['publish-bot'], {
    keys: [
      keys.state,
      keys.templates,
      keys.slugs,
      keys.suffixes,
      keys.bot(draft.id),
      keys.bots,
      keys.changes,
      keys.events,
      keys.eventIds,
      keys.withdrawn,
      keys.withheld,
    ],
    args: [
      ...[id, draft.templateId, slug, ...eventArgs(event), 0, 0],
      ...Object.entries(hash).flatMap(([name, value]) => [name, String(value)]),
      // What the script's includes take: the highest version known, an epoch, the offset of the clock.
      ...[0, 'epoch', 0],
    ],
  })) as [string, string];
  return published;
};

answerCalls(calls);
