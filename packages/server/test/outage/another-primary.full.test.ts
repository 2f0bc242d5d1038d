/**
 * Another primary, or an older state of the same: nobody stays with the one before, nobody mistakes something later for
 * what was lost, and with WRITE_REPLICAS nothing that was acknowledged is lost.
 */
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import type { Bot, EventMap, Problem, WebhookStatus } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { startDelivery } from '@bot-directory/testing/delivery';
import { listen } from '@bot-directory/testing/event-stream';
import { startNames } from '@bot-directory/testing/name-server';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy } from '@bot-directory/testing/redis-proxy';
import { untilFollowed, untilReplicated } from '@bot-directory/testing/replication';
import { noPatience, startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

useStarted(() => startNames(() => ['127.0.0.1']));

type Server = { readonly client: Redis; readonly pid: () => number };

/** Two servers, one of which follows the other; which one changes from test to test. */
type Servers = {
  readonly url: string;
  readonly servers: readonly (Server | undefined)[];
  /** Takes a primary away, and promotes its replica. */
  readonly replace: (primary: Server, replica: Server) => Promise<unknown>;
  /** Makes the one that was taken away the replica of the other. */
  readonly bringBack: (away: Server, primary: Server) => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
};

const rolesOf = async (servers: Servers['servers']) => {
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error('nobody serves the directory');
  const isFirst = (await first.client.info('replication')).includes('role:master');
  return isFirst ? { primary: first, replica: second } : { primary: second, replica: first };
};

const pairOf = ({ url, servers, replace, bringBack, stop }: Servers) => {
  let away: Server | undefined;
  return {
    url,
    stop,
    /** The primary and its replica, which has all, and gets all. */
    roles: async () => {
      const [present] = servers.filter((server) => server !== away);
      if (away !== undefined && present !== undefined) await bringBack(away, present);
      away = undefined;
      for (const server of servers) await server?.client.config('SET', 'masterauth', '');
      const roles = await rolesOf(servers);
      await untilFollowed(roles.primary.client);
      return roles;
    },
    /** What is written from now on does not reach the replica. */
    lag: async (): Promise<void> => {
      const { primary, replica } = await rolesOf(servers);
      await untilReplicated(primary.client);
      // The primary refuses it from now on.
      await replica.client.config('SET', 'masterauth', 'wrong');
      await primary.client.call('CLIENT', 'KILL', 'TYPE', 'replica');
      await until('it lags', async () => /slaves:0/.test(await primary.client.info('replication')));
    },
    failOver: async (): Promise<void> => {
      const { primary, replica } = await rolesOf(servers);
      away = primary;
      await replace(primary, replica);
    },
  };
};
type Pair = ReturnType<typeof pairOf>;

const follow = ({ client }: Server, { client: primary }: Server): Promise<unknown> =>
  client.replicaof('127.0.0.1', String(primary.options.port));

const clientOf = (url: string): Redis => new Redis(url).on('error', () => undefined);

/** One address, as of a virtual IP or a managed service, whose connections to a primary that hangs do not break. */
const plain = useStarted(async () => {
  const redises = [await startTestRedis(), await startTestRedis()];
  const [first, second] = redises.map((redis) => ({ client: clientOf(redis.url), pid: () => redis.pid }));
  const proxy = await startRedisProxy(redises[0]?.url ?? '');
  // As at some managed services, this user may not read INFO. The clients of this test may.
  const rules = ['SETUSER', 'uninformed', 'on', 'nopass', '~*', '&*', '+@all', '-info'] as const;
  for (const server of [first, second]) await server?.client.acl(...rules);
  if (first !== undefined && second !== undefined) await follow(second, first);
  const leadNewTo = (server: Server): Promise<void> =>
    proxy.leadNewTo(`redis://127.0.0.1:${server.client.options.port}`);
  const pair = pairOf({
    url: proxy.url,
    servers: [first, second],
    replace: async (primary, replica) => {
      process.kill(primary.pid(), 'SIGSTOP');
      await replica.client.replicaof('NO', 'ONE');
      await leadNewTo(replica);
    },
    bringBack: async (away, primary) => {
      process.kill(away.pid(), 'SIGCONT');
      await follow(away, primary);
    },
    stop: async () => {
      for (const server of [first, second]) {
        server?.client.disconnect();
        if (server !== undefined) process.kill(server.pid(), 'SIGCONT');
      }
      await proxy.stop();
      await Promise.all(redises.map((redis) => redis.stop()));
    },
  });
  return { ...pair, leadNewTo };
});

/** Only the node of the directory has another primary: the cursors of webhooks, which are on all three, stay ahead. */
const cluster = useStarted(async () => {
  const nodes = await startCluster({ withReplicas: true });
  const first = await nodes.nodeOf(keys.state);
  const second = await nodes.replicaOf(keys.state);
  const nodeOf = (server: Server) => (server === first ? first : second);
  return pairOf({
    url: nodes.url,
    servers: [first, second],
    replace: async (primary, replica) => {
      await nodeOf(primary)?.kill();
      await replica.client.cluster('FAILOVER', 'TAKEOVER');
    },
    bringBack: async (away) => {
      await nodeOf(away)?.restart();
      await until('it follows', async () => (await away.client.info('replication')).includes('role:slave'));
    },
    stop: () => nodes.stop(),
  });
});

let directories = 0;
/** The settings of a process whose directory is no other test's. */
const settingsOf = (url: string) => ({ REDIS_URL: url, REDIS_KEY_PREFIX: `${(directories += 1)}:` });

const isTaken = async (service: Service): Promise<boolean> =>
  (await service.post('/api/feed', { url: 'https://x.com/jo/status/1' })).status !== 503;
const isListed = async (service: Service): Promise<boolean> => (await service.get('/api/bots')).status === 200;

it('leaves a primary that was demoted, though its connection does not break', async () => {
  const { primary, replica } = await plain.roles();
  const service = await startService({ redis: null, settings: settingsOf(plain.url), world: noPatience });
  onTestFinished(() => service.stop());
  await service.publish('Before');
  await untilReplicated(primary.client);
  await replica.client.replicaof('NO', 'ONE');
  await plain.leadNewTo(replica);
  await follow(primary, replica);
  await until('writes are taken', () => isTaken(service));
  await until('it is ready', async () => (await service.get('/readyz')).status === 200);
});

it('leaves a replica that it started on, once the address leads to the primary', async () => {
  const { primary, replica } = await plain.roles();
  await plain.leadNewTo(replica);
  const service = await startService({ redis: null, settings: settingsOf(plain.url), world: noPatience });
  onTestFinished(() => service.stop());
  await until('writes are refused', async () => !(await isTaken(service)));
  await plain.leadNewTo(primary);
  await until('writes are taken', () => isTaken(service));
});

const named: readonly (readonly [of: string, pair: () => Pair])[] = [
  ['a plain address', () => plain],
  ['a Cluster', () => cluster],
];

/**
 * Publishes bots. Returns the slugs of those that were acknowledged. On a busy machine a replica may be later than the
 * service waits: the caller gets a 503, and nothing was promised.
 */
const acknowledged = async ({ publish }: Pick<Service, 'publish'>): Promise<string[]> => {
  const published = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => publish(`Kept ${i}`)));
  const slugs = published.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(slugs).not.toEqual([]);
  return slugs;
};

it.each(named)(
  'with WRITE_REPLICAS and %s a write is acknowledged only if a replica has it, and survives a failover',
  async (_of, pairOfTest) => {
    const pair = pairOfTest();
    const { replica } = await pair.roles();
    const settings = { ...settingsOf(pair.url), WRITE_REPLICAS: '1' };
    const test = await startDelivery({ redis: null, settings, world: noPatience });
    onTestFinished(() => test.stop());
    const add = (id: number) => test.post<Problem>('/api/feed', { url: `https://x.com/jo/status/${id}` });
    await until('writes are taken', () => isTaken(test));
    const register = () => test.post('/api/webhooks/bots', { url: test.receiver.url('/') });
    await until('a webhook is there', async () => (await register()).status !== 503);
    const template = test.provider.template({ name: 'Before' });
    const submit = () => test.post('/api/bots/submit', { link: test.link(template) });
    await until('a bot is there', async () => (await submit()).status !== 503);
    test.provider.template({ name: 'After' }, template);

    process.kill(replica.pid(), 'SIGSTOP');
    const [added, refreshed, list] = await Promise.all([
      add(2),
      test.post<Problem>('/api/bots/before/refresh', {}),
      test.get('/api/bots'),
    ]).finally(() => process.kill(replica.pid(), 'SIGCONT'));
    expect([added.status, added.body.code, refreshed.status, list.status]).toEqual([
      503,
      'store_unavailable',
      503,
      200,
    ]);
    await until('the replica takes writes again', async () => (await add(3)).status !== 503);
    await until('a retry finds it, or adds it', async () => (await add(2)).status === 409);

    const slugs = await acknowledged(test);
    await pair.failOver();
    await until('the list is answered', () => isListed(test));
    const listed = (await test.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);
    expect(listed).toEqual(expect.arrayContaining(slugs));
    await until('all are delivered', () => slugs.every((slug) => test.slugs().includes(slug)));
    // The promoted replica has no replica of its own.
    expect((await add(4)).status).toBe(503);
  },
);

/** A store that can lose what is written between `mark` and `lose`. */
type Rewindable = {
  readonly url: string;
  readonly mark: () => Promise<unknown>;
  readonly lose: () => Promise<unknown>;
};

const laggingReplica = async (pair: Pair, user?: string): Promise<Rewindable> => {
  await pair.roles();
  return {
    url: user === undefined ? pair.url : pair.url.replace('//', `//${user}:any@`),
    mark: pair.lag,
    lose: pair.failOver,
  };
};

const startRewindable = async (options: { readonly persist?: boolean }) => {
  const redis = await startTestRedis(options);
  const client = clientOf(redis.url);
  onTestFinished(async () => {
    client.disconnect();
    await redis.stop();
  });
  return { redis, client };
};

const snapshot = async (): Promise<Rewindable> => {
  const { redis, client } = await startRewindable({});
  const lose = async (): Promise<void> => {
    await redis.kill();
    await redis.restart();
  };
  return { url: redis.url, mark: () => client.save(), lose };
};

/** With `appendfsync everysec`, what was written within a second of a power loss is in no file. */
const powerLoss = async (): Promise<Rewindable> => {
  const { redis, client } = await startRewindable({ persist: true });
  const [, home = ''] = await client.config('GET', 'dir');
  const folder = join(home, 'appendonlydir');
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.incr.aof')) ?? '');
  let bytes = 0;
  const lose = async (): Promise<void> => {
    await redis.kill();
    truncateSync(file, bytes);
    await redis.restart();
  };
  return { url: redis.url, mark: () => Promise.resolve((bytes = statSync(file).size)), lose };
};

const rewindable: readonly (readonly [how: string, start: () => Promise<Rewindable>])[] = [
  ['a replica is promoted that missed the last writes', () => laggingReplica(plain)],
  ['the same happens where INFO is refused', () => laggingReplica(plain, 'uninformed')],
  ['an older snapshot is put back', snapshot],
  ['the power is lost before the last writes are on the disk', powerLoss],
  [
    'a replica of the directory’s node of a cluster is promoted that missed the last writes',
    () => laggingReplica(cluster),
  ],
];

/** Each selects all bots of this test. */
const filters = [null, { author: '@ada' }];

const names = async (service: Service): Promise<string[]> =>
  (await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name);

it.each(rewindable)('when %s, lists, tags, deliveries and streams go on with what is there', async (_how, start) => {
  const store = await start();
  const settings = settingsOf(store.url);
  const test = await startDelivery({ redis: null, settings, world: noPatience });
  onTestFinished(() => test.stop());
  const { provider } = test;
  const web = { redis: null, provider, settings: { ...settings, ROLE: 'web' }, world: noPatience };
  const other = await startService(web);
  const reader = await listen(`${other.url}/api/events/stream`);
  // They are in several partitions.
  const urls = Array.from({ length: 6 }, (_, i) => `https://w${i}.hooks.example.com:${test.receiver.port}/${i}`);
  for (const [i, url] of urls.entries())
    expect((await test.post('/api/webhooks/bots', { url, filter: filters[i % 2] })).status).toBe(200);
  const publish = (name: string): Promise<string> => test.publish(name, { author: 'Ada' });
  const areDelivered = (slug: string): Promise<void> =>
    until(`${slug} is delivered`, () => urls.every((_, i) => test.slugs(`/${i}`).includes(slug)));
  const pendingOf = async (url: string): Promise<number> =>
    (await test.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body.pending_events;

  const kept = await publish('Kept');
  await areDelivered(kept);
  for (const url of urls) await until('the delivery is saved', async () => (await pendingOf(url)) === 0);
  await store.mark();
  const lost = [await publish('Lost 1'), await publish('Lost 2'), await publish('Lost 3')];
  await areDelivered('lost-3');
  await until('they are streamed', () => reader.messages().length === 4);
  const [lostId = ''] = reader
    .messages()
    .slice(-1)
    .map(({ id }) => id);
  const lostTags = [
    (await test.get('/api/bots')).headers.get('etag'),
    (await other.get('/api/bots')).headers.get('etag'),
  ];
  await store.lose();

  for (const service of [test, other]) await until('lists are answered', () => isListed(service));
  // A process that starts now agrees with the others: the manual once prescribed a restart.
  const fresh = await startService(web);
  const services = [test, other, fresh];
  const expectList = async (listed: string[]): Promise<void> => {
    for (const service of services) {
      expect(await names(service)).toEqual(listed);
      for (const tag of lostTags)
        expect((await service.get('/api/bots', { 'If-None-Match': tag ?? '' })).status).toBe(200);
    }
  };
  await expectList(['Kept']);

  const later = [await publish('Later 1'), await publish('Later 2'), await publish('Later 3')];
  await areDelivered('later-3');
  for (const [i] of urls.entries()) expect(test.slugs(`/${i}`)).toEqual([kept, ...lost, ...later]);
  await until('later ones are streamed', () => reader.messages().length === 7);
  await expectList(['Later 3', 'Later 2', 'Later 1', 'Kept']);

  // A reader that resumes after a lost event misses nothing, and gets again what came shortly before it.
  const resumed = await listen(`${fresh.url}/api/events/stream`, { 'Last-Event-ID': lostId });
  await until('it goes on', () => resumed.messages().length === 4);
  const goesOn = await fresh.get<EventMap['bot.created'][]>(`/api/events?after=${lostId}`);
  expect(resumed.messages().map(({ id }) => id)).toEqual(goesOn.body.map(({ id }) => id));
  expect(goesOn.body.map(({ data }) => data.slug)).toEqual([kept, ...later]);

  for (const stream of [reader, resumed]) await stream.stop();
  for (const service of [fresh, other]) await service.stop();
});
