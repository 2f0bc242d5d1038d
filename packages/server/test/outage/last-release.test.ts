/** The release that the changelog names and this build on one store: nothing is lost, whichever of them ends. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { deliverySettings, shortLease } from '@bot-directory/testing/delivery';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost, type Provider } from '@bot-directory/testing/provider';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';

const root = join(import.meta.dirname, '../../../..');
const changelog = readFileSync(join(root, 'packages/server/CHANGELOG.md'), 'utf8');
/** What the newest section says. */
const oldest = /^## .*\n\nRuns next to (\d+\.\d+\.\d+)\.$/m.exec(changelog)?.[1] ?? '';
const archive = join(root, `docs/released/server-${oldest}.tar.gz`);

type Pair = { readonly web: ServerProcess; readonly worker: ServerProcess };

let folder: string;
let redis: TestRedis;
let provider: Provider;
let receiver: Receiver;
const running: ServerProcess[] = [];
/** The processes of the release. */
let released: Pair;
/** All bots, in the order of their publication. */
const slugs: string[] = [];
/** How many bots there were before each webhook. Those that are `late` refuse each event twice. */
const hooks = new Map<string, number>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'last-release-'));
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  [redis, provider, receiver] = await Promise.all([
    startTestRedis({ persist: true }),
    startProvider(),
    startReceiver(),
  ]);
  writeFileSync(join(folder, 'ca.pem'), receiver.ca);
  const seen = new Map<string, number>();
  receiver.respond(({ path, headers }, res) => {
    const attempt = `${path} ${String(headers['x-service-event-id'])}`;
    seen.set(attempt, (seen.get(attempt) ?? 0) + 1);
    const isRefused = headers['x-service-event'] !== 'ping' && path.includes('late') && (seen.get(attempt) ?? 0) < 3;
    res.writeHead(isRefused ? 503 : 204).end();
  });
});
afterAll(async () => {
  for (const process of running) if (!process.hasExited()) await process.kill();
  await Promise.all([redis.stop(), provider.stop(), receiver.stop()]);
  rmSync(folder, { recursive: true });
});

const start = async (build?: string): Promise<Pair> => {
  const settings = {
    ...{ ...deliverySettings, ...shortLease, REDIS_URL: redis.url, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
    ...{ TEMPLATE_HOST: templateHost, TEMPLATE_ORIGIN: provider.origin, WRITE_RATE_LIMIT: '0' },
  };
  const options = build === undefined ? {} : { build };
  const web = await startProcess({ ...settings, ROLE: 'web' }, options);
  const worker = await startProcess({ ...settings, ROLE: 'worker' }, options);
  running.push(web, worker);
  await until('it is ready', async () => (await web.get('/readyz')).status === 200);
  return { web, worker };
};

const register = async ({ web }: Pair, path: string, more: object = {}): Promise<void> => {
  const { status, body } = await web.post('/api/webhooks/bots', { url: receiver.url(path), ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  hooks.set(path, slugs.length);
};
/** What the release does not know: a webhook with one of these gets nothing until a process of this build works. */
const chosen = {
  '/chosen': { filter: { q: '1' }, events: ['bot.created', 'bot.removed'] },
  '/formatted': { format: 'cloudevents' },
  '/keyed': { headers: { 'X-Api-Key': 'T0KEN' }, secret: `whsec_${'A'.repeat(32)}` },
};
const both = expect.stringMatching(/^v1a,\S+ v1,\S+$/) as string;
const wantedBy = (path: string): string[] =>
  slugs.slice(hooks.get(path)).filter((slug) => path !== '/chosen' || /^bot-1/.test(slug));
const got = (path: string): string[] => [...new Set(receiver.events(path).map(({ data }) => data.slug ?? ''))];

/** Publishes through each of these in turn. */
const publish = async (...pairs: Pair[]): Promise<void> => {
  for (let i = 0; i < 6; i += 1)
    for (const { web } of pairs) {
      const link = `https://${templateHost}/bot/${provider.template({ name: `Bot ${slugs.length}` })}`;
      const { status, body } = await web.post<Bot>('/api/bots/submit', { link });
      expect(status, JSON.stringify(body)).toBe(200);
      slugs.push(body.slug);
    }
};

/** Expects every bot in the lists and logs of these, and at each webhook those since its registration. */
const expectAll = async (...pairs: Pair[]): Promise<void> => {
  for (const { web } of pairs) {
    const { body } = await web.get<Bot[]>('/api/bots?sort=newest&limit=100');
    expect(body.map(({ slug }) => slug).toReversed()).toEqual(slugs);
    const log = await web.get<{ type: string; data: { slug: string } }[]>('/api/events?limit=100');
    const created = log.body.filter(({ type }) => type === 'bot.created').map(({ data }) => data.slug);
    expect(created).toEqual(slugs);
  }
  const isKnown = pairs.some((pair) => pair !== released);
  for (const path of hooks.keys()) {
    const wanted = wantedBy(path);
    const waits = path in chosen && !isKnown;
    if (!waits) await until(`${path} has all`, () => got(path).at(-1) === wanted.at(-1));
    expect(got(path)).toEqual(wanted.slice(0, waits ? got(path).length : undefined));
  }
  for (const { path, headers } of receiver.received) {
    if (path === '/formatted') expect(headers['content-type']).toBe('application/cloudevents+json');
    if (path === '/keyed') expect([headers['x-api-key'], headers['webhook-signature']]).toEqual(['T0KEN', both]);
  }
};

it('run together, and either goes on alone', async () => {
  const build = join(folder, 'dist');
  const old = await start(build);
  released = old;
  await register(old, '/old');
  await register(old, '/old-and-late');
  await publish(old);
  await expectAll(old);

  const first = await start();
  await expectAll(old, first);
  await register(first, '/new');
  await register(first, '/new-and-late');
  for (const [path, more] of Object.entries(chosen)) await register(first, path, more);
  await publish(old, first);
  const [slug = ''] = slugs;
  expect((await first.web.post(`/api/bots/${slug}/refresh`, {})).status).toBe(200);
  for (const { web } of [old, first])
    expect((await web.post(`/api/bots/${slug}/reports`, { reason: 'spam' })).status).toBe(200);
  await expectAll(old, first);

  await publish(old, first);
  // Going back after a crash: the old build starts on what the new one left.
  await Promise.all([first, old].flatMap(({ web, worker }) => [web.kill(), worker.kill()]));
  const again = await start(build);
  released = again;
  const before = Object.keys(chosen).map(got);
  await publish(again);
  await expectAll(again);
  expect(Object.keys(chosen).map(got)).toEqual(before);

  const second = await start();
  await publish(again, second);
  await Promise.all([again.web.stop(), again.worker.stop()]);
  await publish(second);
  await expectAll(second);
});
