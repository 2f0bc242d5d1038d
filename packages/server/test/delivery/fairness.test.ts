import type { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import { publishMany } from '@bot-directory/testing/many-events';
import { startNames } from '@bot-directory/testing/name-server';
import { anyAddress, namesOfOwners, ownerName } from '@bot-directory/testing/owners';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

const honest = [0, 1, 2, 3, 4].map((i) => `/honest/${i}`);
/** A sixteenth of what a process has in flight, and of the endpoints that it takes to fill them. */
const sixteenth = { all: 64, perDomain: 8, perAddress: 16 };
useStarted(() => startNames(namesOfOwners));
let test: DeliveryTest;
let others: Receiver;
let redis: Redis;
beforeEach(async () => {
  others = await startReceiver(anyAddress);
  test = await startDelivery({
    settings: {
      WEBHOOK_TIMEOUT: '30s',
      WEBHOOK_LEASE: '90s',
      WEBHOOKS_PER_HOST: '100000',
      WEBHOOKS_PER_DOMAIN: '100000',
    },
    world: { deliveryLimits: sixteenth },
  });
  redis = new Redis(test.redis?.url ?? '');
  for (const path of honest) await test.register(path);
});
afterEach(async () => {
  redis.disconnect();
  // Attempts that hang end with these endpoints, so that the stop need not wait.
  await others.stop();
  await test.stop();
});

const register = async (urls: readonly string[]): Promise<void> => {
  for (let i = 0; i < urls.length; i += 40)
    for (const answer of await Promise.all(
      urls.slice(i, i + 40).map((url) => test.post('/api/webhooks/bots', { url })),
    ))
      expect(answer.status).toBe(200);
};
const honestHave = (slug: string): boolean => honest.every((path) => test.slugs(path).includes(slug));
/** Counts the deliveries that took at most so many seconds. */
const deliveredWithin = async (seconds: string): Promise<number> => {
  const { body } = await test.get<string>('/metrics');
  const start = `webhook_attempt_duration_seconds_bucket{le="${seconds}",outcome="delivered"} `;
  return Number(
    body
      .split('\n')
      .find((line) => line.startsWith(start))
      ?.slice(start.length) ?? 0,
  );
};
const publishedBehind = (): number =>
  others.received.filter(({ headers }) => headers['x-service-event'] === 'bot.created').length;

it('sends new events to webhooks that are up to date, past any backlog of others', async () => {
  // More webhooks than may be called at once.
  const count = 96;
  const backlog = 200;
  await redis.set(keys.paused, '1');
  await engineHasLooked(test.redis?.url ?? '');
  const behind = Array.from({ length: count }, (_, i) => `https://${ownerName(i)}:${others.port}/${i}`);
  await register(behind);
  for (const path of honest) await test.api('DELETE', '/api/webhooks/bots', { body: { url: test.receiver.url(path) } });
  await publishMany(test.redis?.url ?? '', { count: backlog, descriptionBytes: 10 });
  // Registered after the backlog was published, these are up to date.
  for (const path of honest) await test.register(path);
  others.received.length = 0;
  others.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 1_000));
  await redis.del(keys.paused);
  await until('the backlog is being sent', () => publishedBehind() > count);
  for (let i = 0; i < 3; i += 1) {
    const before = publishedBehind();
    const slug = await test.publish(`New ${i}`);
    await until('those who are up to date have it', () => honestHave(slug));
    // Of 19,200 deliveries of backlog, less than two of each webhook had to be sent before.
    expect(publishedBehind() - before).toBeLessThan(2 * count);
  }
  const served = (): number => new Set(others.received.map(({ path }) => path)).size;
  await until('all of those with a backlog have been served', () => served() === count);
  expect(publishedBehind(), 'and none of them to the end').toBeLessThan(count * backlog);
});

it('keeps a wildcard domain with many webhooks from delaying its neighbours', async () => {
  const count = 125;
  const names = 10;
  const urls = Array.from({ length: count }, (_, i) => `https://h${i % names}.hooks.example.com:${others.port}/${i}`);
  await register(urls);
  others.received.length = 0;
  let underWay = 0;
  let most = 0;
  others.respond((_received, res) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
      res.writeHead(204).end();
    }, 600);
  });
  for (let i = 0; i < 3; i += 1) {
    const before = publishedBehind();
    const slug = await test.publish(`Wild ${i}`);
    await until('the neighbours have it', () => honestHave(slug));
    expect(publishedBehind() - before, 'deliveries of the domain before that').toBeLessThan(count / 2);
  }
  await until('the domain gets its own', () => publishedBehind() > 4 * sixteenth.perDomain);
  expect(most).toBeLessThanOrEqual(sixteenth.perDomain);
});

it('keeps an origin that was quick and hangs from delaying the others of its domain', async () => {
  const count = 2 * sixteenth.perDomain;
  const neighbour = `https://h2.hooks.example.com:${others.port}/neighbour`;
  await register(Array.from({ length: count }, (_, i) => `https://h1.hooks.example.com:${others.port}/tenant/${i}`));
  await register([neighbour]);
  const isAtNeighbour = (slug: string): boolean =>
    others.received.some(({ path, body }) => path === '/neighbour' && body.includes(`"${slug}"`));
  const first = await test.publish('While all are quick');
  await until('all have the first', () => isAtNeighbour(first) && publishedBehind() === count + 1);
  const held: ServerResponse[] = [];
  others.respond(({ path }, res) => void (path === '/neighbour' ? res.writeHead(204).end() : held.push(res)));
  for (let i = 0; i < 3; i += 1) {
    const slug = await test.publish(`While one hangs ${i}`);
    await until('the neighbour has it', () => isAtNeighbour(slug));
  }
  expect(held.length).toBeGreaterThan(0);
  const ended = held.filter(({ destroyed }) => destroyed);
  expect(ended.length, 'attempts at the one that hangs that had to end first').toBe(0);
});

it('keeps one host behind many domains from taking the room of endpoints that it does not know', async () => {
  const tenants = 48;
  const held: ServerResponse[] = [];
  const refused = new Set<string>();
  // These names lead to one address, those of owners each to its own.
  await register(Array.from({ length: tenants }, (_, i) => `https://tenant-${i}.github.io:${others.port}/tenant/${i}`));
  others.respond(({ path }, res) => {
    if (!path.startsWith('/tenant/')) res.writeHead(204).end();
    else if (refused.has(path)) held.push(res);
    else {
      // From its first connection on, the address of a name is known.
      refused.add(path);
      res.writeHead(500).end();
    }
  });
  await test.publish('Refused once');
  await until('as many hang as may at once', () => refused.size === tenants && held.length >= sixteenth.perAddress / 2);
  const strangers = Array.from({ length: 8 }, (_, i) => i);
  await register(strangers.map((i) => `https://${ownerName(i)}:${others.port}/stranger/${i}`));
  const slug = await test.publish('To strangers');
  await until('the strangers have it', () =>
    strangers.every((i) => others.events(`/stranger/${i}`).some(({ data }) => data.slug === slug)),
  );
  expect(
    held.filter(({ destroyed }) => destroyed),
    'deliveries that hang and had to end first',
  ).toEqual([]);
});

it('keeps one host behind many domains from filling the queue while it hangs', async () => {
  // More than are called and wait at once.
  const tenants = 240;
  await register(Array.from({ length: tenants }, (_, i) => `https://tenant-${i}.github.io:${others.port}/tenant/${i}`));
  const neighbours = [0, 1, 2, 3, 4].map((i) => `/neighbour/${i}`);
  await register(neighbours.map((path, i) => `https://${ownerName(i)}:${others.port}${path}`));
  await test.publish('To all');
  await until('all have it', () => publishedBehind() === tenants + neighbours.length);
  let ended = 0;
  others.respond(({ path }, res) => {
    if (path.startsWith('/tenant/')) res.on('close', () => (ended += 1));
    else res.writeHead(204).end();
  });
  for (let i = 0; i < 3; i += 1) {
    const slug = await test.publish(`To neighbours ${i}`);
    await until('the neighbours have it', () =>
      neighbours.every((path) => others.events(path).some(({ data }) => data.slug === slug)),
    );
  }
  expect(ended, 'deliveries that hang and had to end first').toBe(0);
});

it('sends to an origin while more pings of strangers hang there than it may have', async () => {
  const pings = 2 * sixteenth.perDomain;
  const shared = (path: string): string => `https://shared.hooks.example.com:${others.port}${path}`;
  await register([shared('/tenant')]);
  const held: ServerResponse[] = [];
  others.respond(({ path }, res) => {
    if (path === '/tenant') res.writeHead(204).end();
    else held.push(res);
  });
  const answers = Array.from({ length: pings }, (_, i) => test.post('/api/webhooks/bots', { url: shared(`/${i}`) }));
  await until('as many hang as may at once', () => held.length >= sixteenth.perDomain);
  const slug = await test.publish('Shared');
  await until('the tenant has it', () => others.events('/tenant').some(({ data }) => data.slug === slug));
  expect(
    held.filter(({ destroyed }) => destroyed),
    'pings that had to end first',
  ).toEqual([]);
  others.respond(500);
  for (const res of held) res.writeHead(500).end();
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(400);
});

it('continues when more quick endpoints hang at once than it has slots', async () => {
  const count = 75;
  await register(Array.from({ length: count }, (_, i) => `https://${ownerName(i)}:${others.port}/${i}`));
  // Until all count as quick, which may take several rounds on a busy machine.
  for (let round = 1, quick = 0; quick < count + honest.length; round += 1) {
    const all = round * (count + honest.length);
    const before = await deliveredWithin('1');
    await test.publish(`Quick ${round}`);
    await until('all have it', async () => (await deliveredWithin('+Inf')) === all);
    quick = (await deliveredWithin('1')) - before;
  }
  let ended = 0;
  others.respond((_received, res) => void res.on('close', () => (ended += 1)));
  for (let i = 0; i < 2; i += 1) {
    const slug = await test.publish(`Hang ${i}`);
    await until('the others have it', () => honestHave(slug));
    expect(ended, 'deliveries that hang and had to end first').toBe(0);
  }
});
