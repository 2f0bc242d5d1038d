/**
 * Webhooks with subscriptions of all kinds against a model: whatever happens to bots and to endpoints, through a stop,
 * a resume, a worker that dies, a failover of the store, and a move to another store, each gets exactly its events, in
 * order: all that were true and wanted ever since they were published, and no other than such that once were.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/contract';
import { deliverySettings } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { startProvider, type Provider } from '@bot-directory/testing/provider';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy } from '@bot-directory/testing/redis-proxy';
import { untilReplicated } from '@bot-directory/testing/replication';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';

type Type = 'bot.created' | 'bot.updated' | 'bot.removed' | 'bot.restored';
type Model = {
  readonly name: string;
  readonly author: string;
  readonly integrations: string[];
  readonly categories: string[];
};
type Filter = Partial<{ category: string[]; integration: string[]; author: string; q: string }>;
type Format = 'slack' | 'discord' | 'teams' | 'google-chat' | 'cloudevents';
type Wish = { readonly filter: Filter | null; readonly events: Type[] | null; readonly format: Format | null };
/** What a bot was after a step. */
type State = { readonly isListed: boolean; readonly bot: Model };
/** An event, and what its bot was since. */
type Event = { readonly type: Type; readonly slug: string; readonly states: State[] };

const of = <const T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const some = (...values: string[]) => fc.subarray(values, { minLength: 1, maxLength: 2 });
const model: fc.Arbitrary<Model> = fc.record({
  name: of('Weekly report', 'Daily reports', 'Chat helper', 'Report chat', '週報 bot'),
  author: of('ada', 'Bob', 'ada_l'),
  integrations: fc.subarray(['slack', 'gmail', 'c-plus-plus']),
  categories: fc.subarray(['SEO', 'Marketing', 'Sales']),
});
const filter: fc.Arbitrary<Filter> = fc.record(
  {
    category: some('seo', 'Marketing', 'Sales'),
    integration: some('Slack', 'gmail', 'C++'),
    author: of('ADA', '@bob'),
    q: of('rep', 'report week', 'chat', 'c++', '報', 'r'),
  },
  { requiredKeys: [] },
);
const wish: fc.Arbitrary<Wish> = fc.record({
  filter: fc.option(filter),
  events: fc.option(fc.subarray<Type>(['bot.created', 'bot.updated', 'bot.removed', 'bot.restored'], { minLength: 1 })),
  format: fc.option(of('slack', 'discord', 'teams', 'google-chat', 'cloudevents')),
});
type Step = {
  readonly kind: 'publish' | 'edit' | 'hide' | 'restore' | 'refuse';
  readonly bot: Model;
  readonly at: number;
};
const steps = fc.array(
  fc.record({
    kind: fc.oneof({ weight: 5, arbitrary: of('publish') }, of('edit', 'hide', 'restore', 'refuse')),
    bot: model,
    at: fc.nat(1_000),
  }),
  { minLength: 10, maxLength: 10 },
);

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll('+', '-plus')
    .replace(/[^a-z0-9]+/g, '-');
/** Whether an event is true of a bot in this state, and a webhook wants it; without any of the server's code. */
const wants = ({ filter, events }: Wish, type: Type, { isListed, bot }: State): boolean => {
  const words = `${bot.name} ${bot.author} ${bot.integrations.join(' ')} ${bot.categories.join(' ')}`.toLowerCase();
  const isFound = (word: string): boolean =>
    word === '報'
      ? words.includes(word)
      : word === 'c++'
        ? words.includes('c-plus-plus')
        : ` ${words}`.includes(` ${word}`);
  const { category = [], integration = [], author, q = '' } = filter ?? {};
  return (
    isListed === (type !== 'bot.removed') &&
    (events ?? ['bot.created']).includes(type) &&
    (category.length === 0 || category.some((one) => bot.categories.some((own) => slugOf(own) === slugOf(one)))) &&
    integration.every((one) => bot.integrations.includes(one === 'C++' ? 'c-plus-plus' : slugOf(one))) &&
    (author === undefined || author.replace('@', '').toLowerCase() === bot.author.toLowerCase()) &&
    q.split(' ').every(isFound)
  );
};

/** Returns the slug in a body, if that has the format of its webhook. */
const slugIn = (text: string, { format }: Wish): string | undefined => {
  const body = JSON.parse(text) as Partial<Record<string, unknown>> & { readonly data?: { readonly slug: string } };
  const shapes = { slack: 'blocks', discord: 'embeds', teams: 'attachments', cloudevents: 'specversion' };
  const isRight =
    Object.entries(shapes).every(([name, key]) => (body[key] !== undefined) === (name === format)) &&
    (body.text !== undefined) === (format === 'slack' || format === 'google-chat');
  return isRight ? (body.data?.slug ?? /\/bots\/([a-z0-9-]+)/.exec(text)?.[1]) : undefined;
};

let receiver: Receiver;
let provider: Provider;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'exactly-its-events-'));
  [receiver, provider] = await Promise.all([startReceiver(), startProvider()]);
});
afterAll(async () => {
  await Promise.all([receiver.stop(), provider.stop()]);
  rmSync(dir, { recursive: true });
});

class World {
  readonly #bots = new Map<string, Model>();
  readonly #hidden = new Set<string>();
  readonly #events: Event[] = [];
  readonly #refusing = new Set<string>();
  /** What each endpoint accepted, without repetitions. */
  readonly #got = new Map<string, string[]>();
  #service: Service | undefined;
  #store = '';

  constructor(readonly wishes: readonly Wish[]) {
    receiver.respond(({ path, headers, body }, res) => {
      const type = String(headers['x-service-event']);
      if (this.#refusing.has(path) && type !== 'ping') return void res.writeHead(500).end();
      const got = this.#got.get(path) ?? [];
      const slug = slugIn(body.toString(), this.wishes[this.paths().indexOf(path)] as Wish);
      const line = `${type} ${slug ?? body.toString()} ${String(headers['webhook-id'])}`;
      if (type !== 'ping' && !got.includes(line)) this.#got.set(path, [...got, line]);
      res.writeHead(204).end();
    });
  }

  /** Starts a service. `store`: the address that the operator's commands use. */
  async serve(url: string, store: string): Promise<void> {
    const settings = { ...deliverySettings, REDIS_URL: url };
    this.#store = store;
    this.#service = await startService({ redis: null, provider, settings, world: { ca: receiver.ca, pollMs: 50 } });
  }

  async moved(store: string): Promise<void> {
    this.#store = store;
    await until('writes are taken', async () => {
      const answer = await this.#service?.post('/api/feed', { url: 'https://x.com/jo/status/1' });
      return answer?.status !== 503;
    });
  }

  stop = async (): Promise<void> => this.#service?.stop();

  async register(path: string, body: Wish | object): Promise<void> {
    const answer = await this.#service?.post('/api/webhooks/bots', { url: receiver.url(path), ...body });
    expect(answer?.status, JSON.stringify(answer?.body)).toBe(200);
  }

  async follow(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#take(step);
  }

  /** Lets all endpoints accept again, resumes those that were stopped, and expects that each has what it wants. */
  async settle(what: string): Promise<void> {
    this.#refusing.clear();
    for (const path of this.paths()) {
      if ((await this.#status(path)).state === 'stopped') await this.register(path, {});
    }
    for (const [i, path] of this.paths().entries()) {
      const wish = this.wishes[i] as Wish;
      const isDue = ({ type, states }: Event): boolean => states.every((one) => wants(wish, type, one));
      const isRight = ({ type, states }: Event): boolean => states.some((one) => wants(wish, type, one));
      const due = this.#events.filter(isDue).map(lineOf);
      await until(`${what}: ${path} has all`, async () => {
        const { pending_events, failures_in_a_row } = await this.#status(path);
        return pending_events === 0 && failures_in_a_row === 0 && isWithin(due, this.#lines(path));
      });
      const got = this.#lines(path);
      const right = this.#events.filter(isRight).map(lineOf);
      expect(isWithin(got, right), `${what}: ${path} ${JSON.stringify({ wish, got, right })}`).toBe(true);
    }
  }

  paths = (): string[] => this.wishes.map((_wish, i) => `/hook/${i}`);

  #lines(path: string): string[] {
    return (this.#got.get(path) ?? []).map((line) => line.split(' ').slice(0, 2).join(' '));
  }

  async #status(path: string): Promise<WebhookStatus> {
    const url = encodeURIComponent(receiver.url(path));
    return (await this.#service?.get<WebhookStatus>(`/api/webhooks/bots/status?url=${url}`))?.body as WebhookStatus;
  }

  async #take({ kind, bot, at }: Step): Promise<void> {
    if (kind === 'refuse') return void this.#refusing.add(this.paths()[at % this.wishes.length] ?? '');
    const listed = [...this.#bots.keys()].filter((slug) => !this.#hidden.has(slug));
    if (kind === 'publish' || listed.length === 0) return this.#publish(bot);
    const slug = (kind === 'restore' ? [...this.#hidden] : listed)[0];
    if (slug === undefined) return;
    const { run } = operatorOf(this.#store, this.#service?.url);
    const known = this.#bots.get(slug) as Model;
    if (kind === 'edit') {
      const categories = known.categories.join() === 'Sales' ? ['SEO'] : ['Sales'];
      await run('edit', slug, '--category', categories.join());
      this.#bots.set(slug, { ...known, categories });
      this.#note('bot.updated', slug);
    } else {
      await run(kind, slug);
      if (kind === 'hide') this.#hidden.add(slug);
      else this.#hidden.delete(slug);
      this.#note(kind === 'hide' ? 'bot.removed' : 'bot.restored', slug);
    }
  }

  async #publish(bot: Model): Promise<void> {
    const { name, ...facts } = bot;
    const slug = (await this.#service?.publish(name, facts)) ?? '';
    this.#bots.set(slug, bot);
    this.#note('bot.created', slug);
  }

  #note(type: Type, slug: string): void {
    this.#events.push({ type, slug, states: [] });
    const state = { isListed: !this.#hidden.has(slug), bot: this.#bots.get(slug) as Model };
    for (const event of this.#events) if (event.slug === slug) event.states.push(state);
  }
}

const lineOf = ({ type, slug }: Event): string => `${type} ${slug}`;

/** Whether all lines of `some` are in `all`, in their order. */
const isWithin = (some: readonly string[], all: readonly string[]): boolean => {
  let found = 0;
  for (const line of all) if (line === some[found]) found += 1;
  return found === some.length;
};

it('each webhook gets exactly its events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(wish, { minLength: 14, maxLength: 14 }),
      fc.tuple(steps, steps, steps, steps),
      async (wishes, [first, second, third, fourth]) => {
        const stores: TestRedis[] = [];
        for (let i = 0; i < 3; i += 1) stores.push(await startTestRedis());
        const [primary, replica, other] = stores as [TestRedis, TestRedis, TestRedis];
        const proxy = await startRedisProxy(primary.url);
        const clients = [new Redis(primary.url), new Redis(replica.url)] as const;
        await clients[1].replicaof('127.0.0.1', new URL(primary.url).port);
        const world = new World(wishes);
        await world.serve(proxy.url, primary.url);
        for (const [i, path] of world.paths().entries()) await world.register(path, wishes[i] as Wish);
        await world.follow(first);
        await world.settle('stopped and resumed');

        await world.follow(second);
        await untilReplicated(clients[0]);
        await clients[1].replicaof('NO', 'ONE');
        await proxy.leadTo(replica.url);
        await world.moved(replica.url);
        await world.follow(third);
        await world.settle('after a failover');

        await world.follow(fourth);
        const file = join(dir, `${Math.random()}.ndjson`);
        await operatorOf(replica.url).run('export', '--with-keys', '--file', file);
        await world.stop();
        const imported = await operatorOf(other.url).attempt('import', file, '--resume', '--with-keys');
        expect(imported.code, imported.output).toBe(0);
        await world.serve(other.url, other.url);
        await world.follow(first);
        await world.settle('in another store');
        await world.stop();
        for (const client of clients) client.disconnect();
        await proxy.stop();
        for (const store of stores) await store.stop();
      },
    ),
    { numRuns: 1, endOnFailure: true },
  );
});
