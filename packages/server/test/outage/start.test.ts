/** A process that starts is not ready until lists and words are there, and lacks nothing after that. */
import { afterAll, expect, it } from 'vitest';
import { startProvider } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { createLog, readConfig, startApp, wrapStore, type App } from '@bot-directory/testing/server';
import { callers, startService, type Service } from '@bot-directory/testing/service';
import { storeOpener } from '@bot-directory/testing/store';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const settings = { BASE_URL: 'https://bots.example.com' };
const redis = useStarted(() => startTestRedis({ persist: true }));
const provider = useStarted(startProvider);
const first = useStarted(() => startService({ redis, provider, settings }));
const running: App[] = [];
afterAll(() => Promise.all(running.map((app) => app.stop())));

/** Starts another process. The replies with entries wait for `held`. */
const start = async ({ environment }: Service, held: Promise<void> = Promise.resolve()) => {
  let reads = 0;
  const openStore: ReturnType<typeof storeOpener> = (...of) =>
    wrapStore(storeOpener({ deadlineMs: 5_000 })(...of), (send) => async (request) => {
      const reply = await send(request);
      if (!('script' in request) || request.name !== 'read-entries') return reply;
      reads += 1;
      await held;
      return reply;
    });
  const app = await startApp(readConfig({ ...environment, PORT: '0' }), createLog('silent'), { openStore });
  running.push(app);
  const url = `http://127.0.0.1:${app.port}`;
  const ready = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
  return { ...callers(url), url, ready, reads: () => reads };
};

const pages = [
  '',
  '?q=mail',
  '?q=m',
  '?q=mail+1&sort=relevance',
  '?sort=installs',
  '?sort=updated',
  '?sort=trending',
  '?category=SEO',
  '?integration=slack',
  '?author=ada',
  '?updated_since=2020-01-01T00:00:00Z',
  '?q=メール箱',
].map((query) => `/api/bots${query}`);
const others = [
  '/api/feed',
  '/api/categories',
  '/api/integrations',
  '/',
  '/?q=mial',
  '/bots/mail-0',
  '/bots.atom?q=mail',
];
const served = ({ url }: { readonly url: string }) =>
  Promise.all(
    [...pages, ...others].map(async (path) => {
      const response = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': 'identity' } });
      return [path, response.status, response.headers.get('etag'), await response.text()] as const;
    }),
  );

it('is not ready until lists and words are there, and then has all that another process has', async () => {
  for (let n = 0; n < 120; n += 1)
    await first.publish(`Mail ${n}`, { categories: ['SEO'], integrations: ['Slack'], author: '@ada' });
  await first.publish('メール箱の整理');
  await first.install('mail-7');
  await first.post('/api/feed', { url: 'https://x.com/ada/status/1' });
  let release = (): void => undefined;
  const second = await start(first, new Promise((resolve) => (release = resolve)));
  await until('it reads entries', () => second.reads() > 0);
  const reply = await second.get<{ status: string; reason: string }>('/readyz');
  expect([reply.status, reply.body]).toEqual([503, { status: 'not ready', reason: 'the directory is being read' }]);
  let early: number | undefined;
  const search = second.get<unknown[]>('/api/bots?q=mail').then(({ body }) => (early = body.length));
  expect(await second.ready()).toBe(false);
  expect(early).toBeUndefined();
  release();
  await until('it is ready', second.ready);
  const reads = second.reads();
  const own = await served(second);
  expect(own).toEqual(await served(first));
  expect(own.filter(([, status]) => status !== 200)).toEqual([]);
  expect(JSON.parse(own[1]?.[3] ?? '')).toHaveLength(120);
  expect(JSON.parse(own[pages.length - 1]?.[3] ?? '')).toHaveLength(1);
  await search;
  expect(early).toBe(120);
  // Nothing is read later than that.
  expect(second.reads()).toBe(reads);
});

it('reads everything again after Redis was killed, and stays ready', async () => {
  const second = await start(first);
  await until('it is ready', second.ready);
  await redis.kill();
  expect(await second.ready()).toBe(true);
  await redis.restart();
  // A request from before the restart waits until the store's deadline, and may be cut off before that.
  for (const { url } of [first, second])
    await until('it serves again', () =>
      fetch(`${url}/api/bots`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  const third = await start(first);
  await until('the new one is ready', third.ready);
  expect(await served(second)).toEqual(await served(first));
  expect(await served(third)).toEqual(await served(first));
});
