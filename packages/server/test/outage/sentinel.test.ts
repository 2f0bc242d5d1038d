/**
 * Sentinels: what stands in REDIS_URL for them, and the primary that they name. It dies, another is promoted, and the
 * service follows; no number is assigned twice.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { testCertificate } from '@bot-directory/testing/certificate';
import { startDelivery } from '@bot-directory/testing/delivery';
import { runToEnd, startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { startSentinels, type TestSentinels } from '@bot-directory/testing/sentinel';
import { noPatience } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { freePort } from '../../../../scripts/port.mjs';
import { createLog } from '../../src/base/log.ts';
import { keys } from '../../src/store/keys.ts';
import { openStore } from '../../src/redis/open-store.ts';
import type { Store } from '../../src/redis/redis.ts';

const group = useStarted(startSentinels);
const settings = { TEMPLATE_HOST: templateHost };

describe('Sentinels with passwords and TLS', () => {
  let secured: TestSentinels;
  let home: string;
  beforeAll(async () => {
    const certificate = await testCertificate();
    home = mkdtempSync(join(tmpdir(), 'bot-directory-ca-'));
    writeFileSync(join(home, 'ca.pem'), certificate.ca);
    secured = await startSentinels({ certificate, password: 'data@1', sentinelPassword: 'watch&2' });
  });
  afterAll(async () => {
    await secured.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('find the primary', async () => {
    const trusted = { NODE_EXTRA_CA_CERTS: join(home, 'ca.pem') };
    const server = await startProcess({ ...settings, ...trusted, REDIS_URL: secured.url });
    const added = await server.post('/api/feed', { url: 'https://x.com/jo/status/1' });
    expect([added.status, (await server.get('/api/feed')).body]).toEqual([200, [added.body]]);
    await server.stop();
    expect(server.output()).not.toMatch(/data@1|data%401|watch&2|watch%262|Unhandled/);
  });

  it('whose certificates are not trusted are reported, with a line for each', async () => {
    const server = await startProcess({ ...settings, REDIS_URL: secured.url });
    expect((await server.get('/api/bots')).status).toBe(500);
    await server.stop();
    const lines = server.output().split('\n');
    expect(lines.filter((line) => /certificate.*a Sentinel does not respond/.test(line))).toHaveLength(3);
  });
});

describe('the start', () => {
  it.each([
    [
      'the Sentinels know no primary of that name',
      () => group.urlOf({ name: 'mymaster' }),
      /ends in # and a name that the Sentinels do not know/,
    ],
    [
      'a plain address is that of a Sentinel',
      () => `redis://127.0.0.1:${group.sentinels[0]?.port}`,
      /leads to a Sentinel: write redis-sentinel:/,
    ],
  ])('ends with a line when %s', async (_when, urlOf, why) => {
    const wrong = { ...settings, PORT: '0', REDIS_URL: urlOf() };
    const ended = await Promise.all([runToEnd('main.js', wrong), runToEnd('admin.js', wrong, ['bots'])]);
    expect(ended.map(({ code }) => code)).toEqual([1, 1]);
    for (const { output } of ended) expect(output).toMatch(why);
  });

  it.each([
    ['does not mind one Sentinel of several that is down', () => group.sentinels, 200, /./],
    ['waits for Sentinels that are all down, as for any store', () => [], 500, /the store is unreachable/],
  ])('%s', async (_how, alive, status, line) => {
    const ports = [await freePort(), ...alive().map(({ port }) => port)];
    const server = await startProcess({ ...settings, REDIS_URL: group.urlOf({ ports }) });
    expect((await server.get('/api/bots')).status).toBe(status);
    await server.stop();
    expect(server.output()).toMatch(line);
    expect(server.output()).not.toContain('Unhandled');
  });
});

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

const commandsIn = (chunk: Buffer): string[] =>
  String(chunk)
    .toLowerCase()
    .split(/^\*\d+\r\n/m)
    .slice(1);

/** Where nothing listens. */
const elsewhere = new URL('redis://127.0.0.2:1');

/** Starts a Sentinel of one primary that speaks as much RESP3 as the client needs. It refuses its first subscriber. */
const startScriptedSentinel = async (primary: URL) => {
  const subscribers = new Set<Socket>();
  let isAnnouncing = false;
  let isRefusing = true;
  const announce = ({ hostname, port }: URL): void => {
    const message = `directory 127.0.0.3 1 ${hostname} ${port}`;
    for (const subscriber of subscribers)
      subscriber.write(`>3\r\n${['message', '+switch-master', message].map(bulk).join('')}`);
  };
  const answer = (socket: Socket): void => {
    if (isAnnouncing) announce(elsewhere);
    isAnnouncing = false;
    setTimeout(() => socket.write(`*2\r\n${bulk(primary.hostname)}${bulk(primary.port)}`), 100);
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => subscribers.delete(socket));
    socket.on('data', (chunk) => {
      for (const command of commandsIn(chunk))
        if (command.includes('get-master-addr')) answer(socket);
        else if (command.includes('subscribe') && isRefusing) {
          isRefusing = false;
          socket.write('-NOPERM not now\r\n');
        } else if (command.includes('subscribe')) {
          subscribers.add(socket);
          socket.write(`>3\r\n${bulk('subscribe')}${bulk('+switch-master')}:1\r\n`);
        } else socket.write(command.includes('sentinels') ? '*0\r\n' : '+OK\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis-sentinel://127.0.0.1:${(server.address() as AddressInfo).port}#directory`,
    subscribers,
    announce,
    /** Announces another primary just before the next reply. */
    announceWhenAsked: (): void => {
      isAnnouncing = true;
    },
    hasAnnounced: (): boolean => !isAnnouncing,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
};

describe('a promotion that is announced at a moment that real Sentinels would hit only by chance', () => {
  let primary: URL;
  let sentinel: Awaited<ReturnType<typeof startScriptedSentinel>>;
  let store: Store;
  beforeEach(async () => {
    primary = new URL(`redis://127.0.0.1:${group.servers[0]?.port}`);
    sentinel = await startScriptedSentinel(primary);
    store = openStore([sentinel.url], createLog('silent'));
    await until('it answers', () => store.ping());
    await until('it hears of promotions', () => sentinel.subscribers.size === 1);
  });
  afterEach(async () => {
    await store.close();
    await sentinel.stop();
  });

  it('while the client asks for the primary, does not keep it from finding the primary', async () => {
    sentinel.announceWhenAsked();
    const kill = ['KILL', 'TYPE', 'normal', 'SKIPME', 'no'];
    await store.call((client) => client.call('CLIENT', ...kill)).catch(() => undefined);
    await until('the promotion is announced', sentinel.hasAnnounced);
    await until('it answers again', () => store.ping());
  });

  it('by other Sentinels, too, ends no connection to the new primary', async () => {
    const id = () => store.call((client) => client.call('CLIENT', 'ID'));
    const before = await id();
    sentinel.announce(primary);
    // Long enough to see a connection end, if it did.
    await sleep(200);
    expect(await id()).toBe(before);
  });
});

describe('the service', () => {
  /** The Sentinels' own connections have no prefix. */
  const prefix = 'two:';
  const test = useStarted(() => {
    const own = { REDIS_URL: group.url, REDIS_KEY_PREFIX: prefix };
    return startDelivery({ redis: null, settings: own, world: noPatience });
  });
  beforeAll(async () => {
    await test.register();
  });

  const listed = async (): Promise<string[]> => (await test.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);

  /** The number of every bot's event in the store, by its slug. */
  const numbers = async (): Promise<Map<string, number>> => {
    const client = (await group.primary())?.client;
    const entries = (await client?.xrange(prefix + keys.events, '-', '+')) ?? [];
    const slugs = new Map<string, string>((await test.get<Bot[]>('/api/bots')).body.map(({ id, slug }) => [id, slug]));
    return new Map(
      entries.flatMap(([id, fields]): [string, number][] => {
        const slug = slugs.get(fields[fields.indexOf('bot') + 1] ?? '');
        return slug === undefined ? [] : [[slug, Number(id.split('-')[0])]];
      }),
    );
  };

  /** Publishes one after the other until it is stopped. Returns the slugs that were acknowledged, in order. */
  const publishUntil = (isOver: () => boolean, name: string) => {
    const acknowledged: string[] = [];
    const running = (async () => {
      for (let i = 1; !isOver(); i += 1) {
        const link = test.link(test.provider.template({ name: `${name} ${i}` }));
        const { status, body } = await test.post<{ slug: string }>('/api/bots/submit', { link });
        if (status === 200) acknowledged.push(body.slug);
        else expect(status).toBe(503);
      }
    })();
    return { acknowledged, running };
  };

  it('follows a promotion while writes go on: only what was not replicated is lost, and no number comes again', async () => {
    let isOver = false;
    const writing = publishUntil(() => isOver, 'Under load');
    await until('some are written', () => writing.acknowledged.length >= 20);
    const before = [...writing.acknowledged];
    const highest = Math.max(...(await numbers()).values());
    const old = await group.primary();
    await old?.kill();
    const atTheKill = writing.acknowledged.length;
    await until('another is the primary', async () => ![undefined, old].includes(await group.primary()), 30_000);
    await until('writes are taken again', () => writing.acknowledged.length >= atTheKill + 20, 30_000);
    isOver = true;
    await writing.running;

    const there = new Set(await listed());
    const lost = writing.acknowledged.filter((slug) => !there.has(slug));
    // Replication keeps the order, so what it loses is the end of what was acknowledged before the kill.
    expect(lost).toEqual(writing.acknowledged.slice(atTheKill - lost.length, atTheKill));
    expect(before.every((slug) => there.has(slug) || lost.includes(slug))).toBe(true);
    const after = await numbers();
    for (const slug of writing.acknowledged.slice(atTheKill)) expect(after.get(slug)).toBeGreaterThan(highest);

    await until('all are delivered', () => [...there].every((slug) => test.slugs().includes(slug)), 30_000);
    const firsts = [...new Set(test.slugs())];
    const inOrder = (slugs: readonly string[]) => [...slugs].sort((a, b) => (after.get(a) ?? 0) - (after.get(b) ?? 0));
    const stayed = firsts.filter((slug) => after.has(slug));
    expect(stayed).toEqual(inOrder(stayed));

    await old?.restart();
    await until(
      'the old one follows',
      async () => (await old?.client.info('replication'))?.includes('role:slave') === true,
      30_000,
    );
    expect(await listed()).toHaveLength(there.size);
    await test.publish('After it came back');
  });

  it('goes on while a Sentinel is down, and finds the primary through another at its next connection', async () => {
    const [first] = group.sentinels;
    await first?.kill();
    await test.publish('With two Sentinels');
    await (await group.primary())?.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await until('it answers', async () => (await test.get('/api/bots')).status === 200);
    await test.publish('Through another');
    await first?.restart();
  });

  it('leaves a primary that the Sentinels no longer reach, though it responds', async () => {
    const old = await group.primary();
    // Existing connections stay. The Sentinels, which have no password, are cut off and must connect again.
    await old?.client.config('SET', 'requirepass', 'not for Sentinels');
    const clients = String(await old?.client.call('CLIENT', 'LIST'));
    for (const [, id = ''] of clients.matchAll(/^id=(\d+) .*name=sentinel-/gm))
      await old?.client.call('CLIENT', 'KILL', 'ID', id);
    await until('another is the primary', async () => ![undefined, old].includes(await group.primary()), 30_000);
    await until('writes reach it', async () => {
      const slug = await test.publish('Where are we').catch(() => undefined);
      return slug !== undefined && (await (await group.primary())?.client.hexists(prefix + keys.slugs, slug)) === 1;
    });
    expect((await old?.client.info('replication'))?.includes('role:master')).toBe(true);
  });
});
