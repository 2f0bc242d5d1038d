/**
 * What an operator takes away is gone from everywhere at once, whatever was done before it and in whatever order: from
 * lists, pages, feeds, the event log, streams, deliveries in every format, the store, and new backups.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits, loggedEventTypes, type DirectoryEvent } from '@bot-directory/contract';
import { deliverySettings, startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import { listen } from '@bot-directory/testing/event-stream';
import { operatorOf } from '@bot-directory/testing/operator';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { keys } from '../../src/store/keys.ts';

let offsetMs = 0;
let one: DeliveryTest;
let other: Service;
let operator: ReturnType<typeof operatorOf>;
let client: Redis;
let folder: string;

const world = { offsetMs: () => offsetMs, pollMs: 50 };
const events = [...loggedEventTypes];
const hooks = new Map<string, object>([
  ['/new', {}],
  ['/all', { events }],
  ['/seo', { events, filter: { category: ['SEO'] } }],
  ['/words', { events, filter: { q: 'robot' } }],
  ...(['slack', 'discord', 'teams', 'google-chat', 'cloudevents'] as const).map(
    (format) => [`/${format}`, { events, format }] as const,
  ),
]);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'taken-away-'));
  one = await startDelivery({ world });
  other = await startService({
    redis: one.redis,
    provider: one.provider,
    world,
    settings: { ...deliverySettings, BASE_URL: one.url, ROLE: 'web' },
  });
  operator = operatorOf(one.redis?.url ?? '', one.url);
  client = new Redis(one.redis?.url ?? '');
  for (const [path, more] of hooks) await one.register(path, more);
  one.receiver.respond(({ body }, res) => {
    leaks.push(...[...watched].filter((token) => body.includes(token)).map((token) => `${token} was sent`));
    res.writeHead(204).end();
  });
});
afterAll(async () => {
  client.disconnect();
  await other.stop();
  await one.stop();
  rmSync(folder, { recursive: true });
});

/** What was taken away, so that nobody may be sent it, and where it was sent all the same. */
const watched = new Set<string>();
let leaks: string[] = [];
let made = 0;

/** A text that occurs nowhere else, and leaves no trace in a slug. */
const text = (): string => `щ${Array.from(String((made += 1)), (digit) => 'абвгдежзик'[Number(digit)]).join('')}щ`;
const handle = (): string => `zq${(made += 1)}qz`;

type Entry = {
  readonly name: string;
  readonly template: string;
  state: 'listed' | 'hidden' | 'removed';
  /** What it shows. */
  texts: string[];
  author: string;
};
type Post = { readonly url: string; readonly author: string; state: Entry['state'] };

class Model {
  readonly bots: Entry[] = [];
  readonly posts: Post[] = [];
  /** What is nowhere any more, and what only the operator can still list. */
  readonly gone = new Set<string>();
  isPaused = false;

  get hidden(): string[] {
    const hidden = [...this.bots, ...this.posts].filter(({ state }) => state === 'hidden');
    return hidden
      .flatMap((one) => ('texts' in one ? [...one.texts, one.author] : [one.author]))
      .filter((token) => token !== '');
  }

  /** What a line of the audit log may have: posts are named by their URLs, which have the handle. */
  get named(): string[] {
    return this.posts.map(({ author }) => author);
  }

  async publish(): Promise<void> {
    const texts = [text(), text()];
    const author = handle();
    const template = one.provider.template({ name: `Робот ${texts[0]}`, description: `A robot: ${texts[1]}.` });
    const { body } = await one.post<{ slug: string }>('/api/bots/submit', {
      link: one.link(template),
      author: `@${author}`,
      categories: ['SEO'],
      source_url: `https://x.com/${author}/status/${(made += 1)}`,
    });
    this.bots.push({ name: body.slug, template, state: 'listed', texts, author });
  }

  async refresh(at: number): Promise<void> {
    const bot = this.#pick(this.bots, at, 'listed');
    if (bot === undefined) return;
    const texts = [text(), text()];
    one.provider.template({ name: `Робот ${texts[0]}`, description: `A robot: ${texts[1]}.` }, bot.template);
    offsetMs += limits.refreshSec * 1_000;
    expect((await one.post(`/api/bots/${bot.name}/refresh`, {})).status).toBe(200);
    this.#take(bot.texts);
    bot.texts = texts;
  }

  async forgetAuthor(at: number): Promise<void> {
    const bot = this.#pick(this.bots, at, 'listed', 'hidden');
    if (bot === undefined || bot.author === '') return;
    await operator.run('edit', bot.name, '--author', '', '--source-url', '');
    this.#take([bot.author]);
    bot.author = '';
  }

  async hide(at: number): Promise<void> {
    const bot = this.#pick(this.bots, at, 'listed');
    if (bot === undefined) return;
    await operator.run('hide', bot.name);
    bot.state = 'hidden';
  }

  async restore(at: number): Promise<void> {
    const bot = this.#pick(this.bots, at, 'hidden', 'removed');
    if (bot === undefined) return;
    if (bot.state === 'hidden') for (const token of [...bot.texts, bot.author]) watched.delete(token);
    const { count } = await operator.run<{ count: number }>('restore', bot.name);
    expect(count).toBe(bot.state === 'hidden' ? 1 : 0);
    if (bot.state === 'hidden') bot.state = 'listed';
  }

  async remove(at: number): Promise<void> {
    const bot = this.#pick(this.bots, at, 'listed', 'hidden');
    if (bot === undefined) return;
    await operator.run('remove', bot.name, '--reason', 'Spam.');
    bot.state = 'removed';
    this.#take([...bot.texts, bot.author]);
  }

  async addPost(): Promise<void> {
    const author = handle();
    const url = `https://x.com/${author}/status/${(made += 1)}`;
    expect((await one.post('/api/feed', { url })).status).toBe(200);
    this.posts.push({ url, author, state: 'listed' });
  }

  async movePost(at: number, how: 'hide' | 'restore' | 'remove'): Promise<void> {
    const from = { hide: ['listed'], restore: ['hidden'], remove: ['listed', 'hidden'] } as const;
    const post = this.#pick(this.posts, at, ...from[how]);
    if (post === undefined) return;
    if (how === 'restore') watched.delete(post.author);
    await operator.run('posts', how, post.url, '--reason', 'Spam.');
    post.state = ({ hide: 'hidden', restore: 'listed', remove: 'removed' } as const)[how];
    if (how === 'remove') this.#take([post.author]);
  }

  async pause(isPaused: boolean): Promise<void> {
    if (isPaused === this.isPaused) return;
    if (isPaused) await idle();
    await operator.run('deliveries', isPaused ? 'pause' : 'resume');
    this.isPaused = isPaused;
    if (isPaused) await engineHasLooked(one.redis?.url ?? '');
  }

  #take(texts: readonly string[]): void {
    for (const one of texts) if (one !== '') this.gone.add(one);
  }

  #pick<One extends { readonly state: Entry['state'] }>(
    all: readonly One[],
    at: number,
    ...states: Entry['state'][]
  ): One | undefined {
    const fitting = all.filter(({ state }) => states.includes(state));
    return fitting[at % fitting.length];
  }
}

const idle = async (): Promise<void> => {
  for (const path of hooks.keys())
    await until(`${path} has everything`, async () => (await one.status(path)).pending_events === 0);
};

/** The envelopes that a query of the log has, from its beginning. */
const log = async (service: Service, query = ''): Promise<DirectoryEvent[]> => {
  const found: DirectoryEvent[] = [];
  let search: string | undefined = `?limit=7${query}`;
  while (search !== undefined) {
    const page: { status: number; body: DirectoryEvent[]; headers: Headers } = await service.get(
      `/api/events${search}`,
    );
    expect(page).toMatchObject({ status: 200, body: expect.any(Array) as unknown });
    found.push(...page.body);
    const next: string | undefined = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    search = next === undefined ? undefined : new URL(next).search;
  }
  return found;
};

const paths = ['/api/bots', '/api/feed', '/', '/feed', '/bots.atom', '/bots.json', '/sitemap.xml', '/webhooks'];

/** Everything that a client of one process can read. */
const readable = async (service: Service, { bots }: Model, last: string): Promise<string[]> => {
  const more = bots.flatMap(({ name }) => [`/bots/${name}`, `/api/bots/${name}`]);
  const bodies = [...paths, ...more].map(async (path) => (await fetch(`${service.url}${path}`)).text());
  const queries = ['', '&category=SEO', '&q=robot', '&type=bot.updated'].map(async (query) =>
    JSON.stringify(await log(service, query)),
  );
  const stream = await listen(`${service.url}/api/events/stream?after=evt_00000000000000000000000000`);
  const first = await listen(`${service.url}/api/events/stream?after=${firstEvent}`);
  await until('the streams have come to the end', () => first.text().includes(last));
  await Promise.all([stream.stop(), first.stop()]);
  return [...(await Promise.all([...bodies, ...queries])), first.text(), stream.text()];
};

/** Everything that a store holds, by key. */
const stored = async (redis: Redis): Promise<Map<string, string>> => {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    hash: (key) => redis.hgetall(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    set: (key) => redis.smembers(key),
    stream: (key) => redis.xrange(key, '-', '+'),
    string: (key) => redis.get(key),
  };
  const found = new Map<string, string>();
  for (const key of await redis.keys('*')) found.set(key, JSON.stringify(await read[await redis.type(key)]?.(key)));
  return found;
};

let firstEvent = '';

const look = async (model: Model): Promise<void> => {
  if (!model.isPaused) await idle();
  watched.clear();
  for (const token of [...model.gone, ...model.hidden]) watched.add(token);
  const last = (await log(one)).at(-1)?.id ?? '';
  for (const service of [one, other])
    for (const body of await readable(service, model, last))
      expect([...watched].filter((token) => body.includes(token))).toEqual([]);
  for (const [key, value] of await stored(client)) {
    const mayHave = new Set(/:(?:bot|post):/.test(key) ? model.hidden : key === keys.audit ? model.named : []);
    expect([key, [...watched].filter((token) => value.includes(token) && !mayHave.has(token))]).toEqual([key, []]);
  }
  expect(leaks).toEqual([]);
};

const backUp = async ({ gone, hidden, named }: Model): Promise<void> => {
  const file = join(folder, `${(made += 1)}.ndjson`);
  await operator.run('export', '--file', file);
  const isAudit = (line: string): boolean => line.startsWith('{"type":"audit"');
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const line of lines) {
    const mayHave = isAudit(line) ? named : [];
    expect([...gone].filter((token) => line.includes(token) && !mayHave.includes(token))).toEqual([]);
  }
  for (const line of lines.filter((line) => !isAudit(line)))
    if (hidden.some((token) => line.includes(token))) expect(line).toMatch(/^\{"type":"(?:bot|post)"/);
  const redis = await startTestRedis();
  const copy = new Redis(redis.url);
  const importing = operatorOf(redis.url, one.url);
  await importing.run('import', file);
  for (const [key, value] of await stored(copy)) {
    const mayHave = key === keys.audit ? named : [];
    expect([key, [...gone].filter((token) => value.includes(token) && !mayHave.includes(token))]).toEqual([key, []]);
  }
  expect(await importing.run('check')).toEqual([]);
  copy.disconnect();
  await redis.stop();
};

type Step = { readonly what: string; readonly do: (model: Model) => Promise<void> };
const at = fc.nat({ max: 5 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ what: 'publish', do: (model) => model.publish() }) },
  { weight: 3, arbitrary: at.map((n): Step => ({ what: `refresh ${n}`, do: (model) => model.refresh(n) })) },
  { weight: 2, arbitrary: at.map((n): Step => ({ what: `edit ${n}`, do: (model) => model.forgetAuthor(n) })) },
  { weight: 3, arbitrary: at.map((n): Step => ({ what: `hide ${n}`, do: (model) => model.hide(n) })) },
  { weight: 3, arbitrary: at.map((n): Step => ({ what: `restore ${n}`, do: (model) => model.restore(n) })) },
  { weight: 2, arbitrary: at.map((n): Step => ({ what: `remove ${n}`, do: (model) => model.remove(n) })) },
  { weight: 1, arbitrary: fc.constant<Step>({ what: 'post', do: (model) => model.addPost() }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(at, fc.constantFrom('hide', 'restore', 'remove'))
      .map(([n, how]): Step => ({ what: `${how} post ${n}`, do: (model) => model.movePost(n, how) })),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((is): Step => ({ what: is ? 'pause' : 'resume', do: (model) => model.pause(is) })),
  },
);

it('is nowhere afterwards, in whatever order it was edited, refreshed, hidden, restored and removed', async () => {
  await one.publish('First');
  firstEvent = (await log(one))[0]?.id ?? '';
  const sequence = fc.array(step, { minLength: 6, maxLength: 12, size: 'max' });
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const model = new Model();
      leaks = [];
      for (const { what, do: run } of [{ what: 'publish', do: () => model.publish() }, ...steps]) {
        await run(model);
        if (/edit|hide|remove|resume/.test(what)) await look(model);
      }
      await backUp(model);
      await model.pause(false);
      await look(model);
      expect(await operator.run('check')).toEqual([]);
    }),
    { numRuns: 3, endOnFailure: true },
  );
}, 240_000);
