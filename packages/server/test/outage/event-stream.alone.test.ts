import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventMap, Problem } from '@bot-directory/contract';
import { listen, openUnread } from '@bot-directory/testing/event-stream';
import { publishMany } from '@bot-directory/testing/many-events';
import { startTestRedis } from '@bot-directory/testing/redis';
import { noPatience, startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

let service: Service;
let old: string[];
const redis = useStarted(() => startTestRedis({ persist: true }));
beforeAll(async () => {
  // More than the buffers of two sockets hold, and before the service starts, so that it must ask for them.
  old = await publishMany(redis.url, { count: 1_500, descriptionBytes: 8_000 });
  service = await startService({ redis, settings: { ROLE: 'web' }, world: noPatience });
});
afterAll(async () => {
  await service.stop();
});

const stream = (): string => `${service.url}/api/events/stream`;
const back = (): Promise<void> =>
  until('Redis answers', async () => (await service.get('/healthz/store')).status === 200);

const outages: readonly [how: string, goAway: () => unknown, comeBack: () => unknown][] = [
  ['dies', () => redis.kill(), () => redis.restart()],
  ['hangs', () => process.kill(redis.pid, 'SIGSTOP'), () => process.kill(redis.pid, 'SIGCONT')],
];

it.each(outages)(
  'a stream that has all goes on after Redis %s, and misses and repeats nothing',
  async (how, goAway, comeBack) => {
    const reader = await listen(stream());
    const slugs = [await service.publish(`Before it ${how}`)];
    await until('it has come', () => reader.messages().length === 1);
    await goAway();
    await until('Redis is away', async () => (await service.get('/healthz/store')).status === 503);
    expect((await service.get<Problem>('/api/events/stream')).body.code).toBe('store_unavailable');
    await comeBack();
    await back();
    slugs.push(await service.publish(`After it ${how}`), await service.publish(`Again after it ${how}`));
    await until('all have come', () => reader.messages().length >= slugs.length || reader.ended());
    expect(reader.messages().map(({ data }) => (JSON.parse(data) as EventMap['bot.created']).data.slug)).toEqual(slugs);
    await reader.stop();
  },
);

it('a stream that must ask Redis for more ends, and the reader who resumes it misses and repeats nothing', async () => {
  const [first = ''] = old;
  const cut = await openUnread(stream(), { 'Last-Event-ID': first });
  await until('it waits for its reader', () => cut.response?.writableNeedDrain === true);
  await redis.kill();
  const before = await cut.read(Infinity);
  expect(before.length).toBeGreaterThan(0);
  await redis.restart();
  await back();
  await service.publish('While it was cut off');
  const later = await service.get<EventMap['bot.created'][]>(`/api/events?after=${old.at(-1) ?? ''}`);
  const all = [...old.slice(1), ...later.body.map(({ id }) => id)];
  const resumed = await openUnread(stream(), { 'Last-Event-ID': before.at(-1) ?? '' });
  expect([...before, ...(await resumed.read(all.length - before.length))]).toEqual(all);
});
