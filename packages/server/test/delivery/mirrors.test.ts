/**
 * Mirrors against a model: whatever happens to bots, to endpoints and to readers, in whatever order, each ends with
 * exactly the listed bots, as they are. Of one bot, no webhook gets a later event before one that waits.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loggedEventTypes, type Bot, type DirectoryEvent } from '@bot-directory/contract';
import { deliverySettings } from '@bot-directory/testing/delivery';
import { listen } from '@bot-directory/testing/event-stream';
import { operatorOf } from '@bot-directory/testing/operator';
import { startProvider, type Provider } from '@bot-directory/testing/provider';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { createClient } from '../../../sdk/src/index.ts';
import { mirror, type Mirror } from '../../../sdk/src/mirror.ts';
import { keys } from '../../src/store/keys.ts';

let provider: Provider;
let receiver: Receiver;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mirrors-'));
  [provider, receiver] = await Promise.all([startProvider(), startReceiver()]);
});
afterAll(async () => {
  await Promise.all([provider.stop(), receiver.stop()]);
  rmSync(dir, { recursive: true });
});

const events = [...loggedEventTypes];
/** The webhooks: all events of all bots, or of some. */
const hooks = new Map<string, { readonly isSome: boolean; readonly body: object }>([
  ['/all', { isSome: false, body: { events } }],
  ['/other', { isSome: false, body: { events } }],
  ['/seo', { isSome: true, body: { events, filter: { category: ['SEO'] } } }],
]);

/** A copy of the list that is made of events alone. */
class Copy {
  readonly bots = new Map<string, Bot>();
  readonly got: string[] = [];
  /** The last event that it has. */
  last = 'evt_00000000000000000000000000';

  apply(event: DirectoryEvent): void {
    this.got.push(event.id);
    this.last = event.id;
    if (event.type === 'bot.removed') this.bots.delete(event.data.id);
    else this.bots.set(event.data.id, event.data);
  }
}

type Known = { readonly slug: string; state: 'listed' | 'hidden' | 'removed'; isSeo: boolean };

class World {
  readonly bots: Known[] = [];
  readonly webhooks = new Map([...hooks.keys()].map((path) => [path, new Copy()]));
  readonly stream = new Copy();
  readonly pages = new Copy();
  /** How many of the next deliveries each endpoint refuses. */
  readonly #refusing = new Map<string, number>();
  #redis: TestRedis;
  #service: Service;
  #mirror: Mirror;
  #made = 0;

  private constructor(redis: TestRedis, service: Service) {
    [this.#redis, this.#service] = [redis, service];
    this.#mirror = mirrorOf(service);
    receiver.respond(({ path, headers, body }, res) => {
      const left = this.#refusing.get(path) ?? 0;
      if (headers['x-service-event'] === 'ping') return void res.writeHead(204).end();
      this.#refusing.set(path, left - 1);
      if (left <= 0) this.webhooks.get(path)?.apply(JSON.parse(body.toString()) as DirectoryEvent);
      res.writeHead(left > 0 ? 503 : 204).end();
    });
  }

  static async start(): Promise<World> {
    const redis = await startTestRedis();
    const world = new World(redis, await serve(redis));
    for (const [path, { body }] of hooks) await world.register(path, body);
    return world;
  }

  async register(path: string, body: object): Promise<void> {
    expect((await this.#service.post('/api/webhooks/bots', { url: receiver.url(path), ...body })).status).toBe(200);
  }

  async publish(isSeo: boolean): Promise<void> {
    const categories = isSeo ? ['SEO'] : ['Sales'];
    const slug = await this.#service.publish(`Bot ${(this.#made += 1)}`, { author: 'ada', categories });
    this.bots.push({ slug, state: 'listed', isSeo });
  }

  async change(how: 'edit' | 'erase' | 'hide' | 'restore' | 'remove', at: number): Promise<void> {
    const from = how === 'restore' ? ['hidden'] : how === 'remove' ? ['listed', 'hidden'] : ['listed'];
    const fitting = this.bots.filter(({ state }) => from.includes(state));
    const bot = fitting[at % fitting.length];
    if (bot === undefined) return;
    const { run } = operatorOf(this.#redis.url);
    if (how === 'erase') await run('erase', 'author', 'ada');
    else if (how === 'edit') {
      bot.isSeo = !bot.isSeo;
      await run('edit', bot.slug, '--category', bot.isSeo ? 'SEO' : 'Sales');
    } else {
      await run(how, bot.slug, '--reason', 'Spam.');
      bot.state = ({ hide: 'hidden', restore: 'listed', remove: 'removed' } as const)[how];
    }
  }

  refuse(at: number, times: number): void {
    this.#refusing.set([...hooks.keys()][at % hooks.size] ?? '', times);
  }

  /** Reads the stream for a while, from where it was left. */
  async follow(): Promise<void> {
    const reader = await listen(`${this.#service.url}/api/events/stream`, { 'Last-Event-ID': this.stream.last });
    const head = await this.#head();
    const hasAll = (): boolean =>
      head === this.stream.last || (reader.text().includes(head) && reader.text().endsWith('\n\n'));
    await until('the stream is at the end', hasAll);
    await reader.stop();
    for (const { event, data } of reader.messages())
      if (event !== 'gap' && event !== 'position') this.stream.apply(JSON.parse(data) as DirectoryEvent);
  }

  /** Reads pages of the log, from where they were left. */
  async read(most = Infinity): Promise<void> {
    for (let read = 0; read < most; read += 1) {
      const after = this.pages.got.length === 0 ? '' : `&after=${this.pages.last}`;
      const { body } = await this.#service.get<DirectoryEvent[]>(`/api/events?limit=3${after}`);
      for (const event of body) this.pages.apply(event);
      if (body.length === 0) return;
    }
  }

  /** Moves everything to another store, from a backup. */
  async move(): Promise<void> {
    const file = join(dir, `${Math.random()}.ndjson`);
    await operatorOf(this.#redis.url).run('export', '--with-keys', '--file', file);
    await this.#mirror.close();
    await this.#service.stop();
    await this.#redis.stop();
    this.#redis = await startTestRedis();
    await operatorOf(this.#redis.url).run('import', file, '--resume', '--with-keys');
    this.#service = await serve(this.#redis);
    this.#mirror = mirrorOf(this.#service);
  }

  /** Lets every endpoint accept, resumes the stopped ones, and expects the listed bots everywhere, and no others. */
  async settle(): Promise<void> {
    this.#refusing.clear();
    for (const path of hooks.keys()) {
      if ((await this.#status(path)).state === 'stopped') await this.register(path, {});
      await until(`${path} has all`, async () => {
        const { pending_events, failures_in_a_row } = await this.#status(path);
        return pending_events === 0 && failures_in_a_row === 0;
      });
    }
    await this.follow();
    await this.read();
    const listed = (await this.#service.get<Bot[]>('/api/bots')).body;
    const all = new Map(listed.map((bot) => [bot.id, bot]));
    for (const [path, { isSome }] of hooks) {
      // No event says that a bot no longer matches a filter.
      const some = this.bots.filter(({ isSeo }) => isSeo || !isSome).map(({ slug }) => slug);
      const known = [...(this.webhooks.get(path)?.bots ?? [])].filter(([, { slug }]) => some.includes(slug));
      expect(new Map(known), path).toEqual(new Map([...all].filter(([, { slug }]) => some.includes(slug))));
    }
    expect(this.stream.bots).toEqual(all);
    expect(this.pages.bots).toEqual(all);
    await until('the mirror has the list', () => JSON.stringify([...this.#mirror]) === JSON.stringify(listed));
    await this.#expectOrder();
  }

  async stop(): Promise<void> {
    await this.#mirror.close();
    await this.#service.stop();
    await this.#redis.stop();
  }

  /** Expects that no event of a bot that was never withdrawn came before an earlier one. */
  async #expectOrder(): Promise<void> {
    const client = new Redis(this.#redis.url);
    const log = (await client.xrange(keys.events, '-', '+')).map(([, flat]) => flat);
    client.disconnect();
    const field = (flat: readonly string[], name: string): string => flat[flat.indexOf(name) + 1] ?? '';
    const withdrawn = new Set(
      log.filter((one) => field(one, 'type') === 'bot.removed').map((one) => field(one, 'bot')),
    );
    for (const bot of new Set(log.map((one) => field(one, 'bot')))) {
      if (withdrawn.has(bot)) continue;
      const ids = log.filter((one) => field(one, 'bot') === bot).map((one) => field(one, 'id'));
      for (const [path, { got }] of this.webhooks) {
        const first = [...new Set(got)].filter((id) => ids.includes(id));
        expect(first, `${path} ${bot}`).toEqual(ids.filter((id) => first.includes(id)));
      }
    }
  }

  /** The id of the last event. */
  async #head(): Promise<string> {
    const client = new Redis(this.#redis.url);
    const [newest] = await client.xrevrange(keys.events, '+', '-', 'COUNT', 1);
    client.disconnect();
    return newest?.[1][newest[1].indexOf('id') + 1] ?? '';
  }

  async #status(path: string) {
    const url = encodeURIComponent(receiver.url(path));
    type Status = { state: string; pending_events: number; failures_in_a_row: number };
    return (await this.#service.get<Status>(`/api/webhooks/bots/status?url=${url}`)).body;
  }
}

const serve = (redis: TestRedis): Promise<Service> =>
  startService({
    redis,
    provider,
    settings: { ...deliverySettings, BASE_URL: 'https://directory.example.com' },
    world: { ca: receiver.ca, pollMs: 50 },
  });

const mirrorOf = ({ url }: Service): Mirror => mirror(createClient({ baseUrl: url }));

type Step = { readonly what: string; readonly do: (world: World) => Promise<void> | void };
const at = fc.nat({ max: 5 });
const changing = fc.constantFrom('edit', 'erase', 'hide', 'restore', 'remove');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.boolean().map((is): Step => ({ what: 'publish', do: (world) => world.publish(is) })) },
  {
    weight: 8,
    arbitrary: fc.tuple(changing, at).map(([how, n]): Step => ({
      what: `${how} ${n}`,
      do: (world) => world.change(how, n),
    })),
  },
  {
    weight: 4,
    // After six failures in a row, the endpoint is probed.
    arbitrary: fc.tuple(at, fc.constantFrom(1, 6, 6, 8, 100)).map(([n, times]): Step => ({
      what: `refuse ${n} ${times}`,
      do: (world) => world.refuse(n, times),
    })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ what: 'follow', do: (world) => world.follow() }) },
  { weight: 1, arbitrary: fc.constant<Step>({ what: 'read', do: (world) => world.read(1) }) },
);
const steps = fc.array(step, { minLength: 12, maxLength: 16, size: 'max' });

it('end with exactly the listed bots, whatever happens in whatever order', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const world = await World.start();
      await world.publish(true);
      for (const { do: take } of before) await take(world);
      await world.settle();
      await world.move();
      for (const { do: take } of after) await take(world);
      await world.settle();
      await world.stop();
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

type Changes = readonly (readonly [how: 'edit' | 'hide' | 'restore', at: number])[];
const examples: readonly (readonly [what: string, isNew: boolean, changes: Changes])[] = [
  [
    'hidden and restored',
    false,
    [
      ['hide', 0],
      ['restore', 0],
    ],
  ],
  [
    'edited twice',
    false,
    [
      ['edit', 0],
      ['edit', 0],
    ],
  ],
  ['added and edited', true, [['edit', 0]]],
];

it.each(examples)(
  'has a bot as it is that was %s while an endpoint failed six times',
  async (_what, isNew, changes) => {
    const world = await World.start();
    if (!isNew) {
      await world.publish(true);
      await world.settle();
    }
    world.refuse(0, 6);
    if (isNew) await world.publish(true);
    for (const [how, n] of changes) await world.change(how, n);
    await until('it has failed six times', () => (world.webhooks.get('/all')?.got.length ?? 0) > (isNew ? 0 : 1));
    await world.settle();
    await world.stop();
  },
);
