/** Everything that would grow without a bound has a limit. Each is crossed here, and its gauge shows how full it is. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { publishMany } from '@bot-directory/testing/many-events';
import { startService } from '@bot-directory/testing/service';
import { openTestStore } from '@bot-directory/testing/store';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import type { BotId, ReportId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { createBotStore, maxVisitors } from '../../src/store/bots/bot-store.ts';
import { EventLog } from '../../src/store/events/event-log.ts';
import { keys } from '../../src/store/keys.ts';
import { createModerationStore, maxAuditLines } from '../../src/store/moderation/moderation-store.ts';
import { createReportStore } from '../../src/store/reports/report-store.ts';
import type { Store } from '../../src/redis/redis.ts';

let client: Redis;
let store: Store;
let bot: BotId;
const service = useStarted(() => startService({ settings: { WRITE_RATE_LIMIT: '1000/1m' } }));
beforeAll(async () => {
  client = new Redis(service.redis?.url ?? '');
  store = await openTestStore(service.redis?.url ?? '');
  await service.publish('First');
  bot = (await client.zrange(keys.bots, '0', '-1'))[0] as BotId;
});
afterAll(async () => {
  await store.close();
  client.disconnect();
});

const operator = { name: 'ada', command: 'test' };

const gauge = async (name: string): Promise<number> => {
  const text = String((await service.get('/metrics')).body);
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
};

/** Runs a line of Lua for 1 … count in the store, a part at a time: nobody waits for long meanwhile. */
const fill = async (count: number, line: string, key: string): Promise<void> => {
  for (let from = 1; from <= count; from += 5_000)
    await client.eval(`for i = ${from}, ${Math.min(count, from + 4_999)} do ${line} end`, 1, key);
};

it('visitors who installed: the oldest are forgotten', async () => {
  const line = "redis.call('ZADD', KEYS[1], redis.call('TIME')[1] * 1000 - 1000 + i / 1000, 'other:' .. i)";
  await fill(maxVisitors, line, keys.installs);
  expect(await createBotStore(store).countInstall(bot, 'somebody')).toBe('counted');
  expect(await client.zcard(keys.installs)).toBe(maxVisitors);
  expect(await gauge('directory_install_visitors')).toBe(maxVisitors);
  expect(await client.zscore(keys.installs, 'other:1')).toBeNull();
});

it('the event log: the oldest go', async () => {
  for (let i = 1; i <= 30; i += 1) await service.publish(`Event ${i}`);
  const log = new EventLog(store, createLog('silent'), { baseUrl: 'https://bots.example.com' });
  const before = (await client.xrange(keys.events, '-', '+')).map(([id]) => id);
  const oldest = await log.trim(0, 10);
  const after = (await client.xrange(keys.events, '-', '+')).map(([id]) => id);
  expect(after).toEqual(before.slice(-10));
  expect(after[0]).toBe(`${oldest?.number}-0`);
  expect([await client.zcard(keys.eventIds), await gauge('webhook_events')]).toEqual([10, 10]);
});

it('reports: a client keeps its newest hundred, and of too many in all those of whom sent most go', async () => {
  const reports = createReportStore(store);
  const send = (of: string, network: string): Promise<string> =>
    reports.add({ id: `rep_${of}_${network}` as ReportId, subject: of as BotId, reason: 'spam', text: '', network });
  await send(bot, 'honest');
  const many = keys.bot('many_' as BotId);
  await fill(203, "redis.call('HSET', KEYS[1] .. i, 'id', 'many_' .. i)", many);
  for (let i = 101; i <= 202; i += 1) await send(`many_${i}`, 'flood');
  const kept = async (): Promise<string[]> => (await reports.list()).map(({ subject }) => subject);
  expect(await kept()).toEqual([bot, ...Array.from({ length: 100 }, (_, i) => `many_${i + 103}`)]);
  const others = "redis.call('HSET', KEYS[1], 'rep_' .. i .. ' bot_' .. i .. ' client' .. i % 101 .. ' spam', '1 ')";
  await fill(1_899, others, keys.reports);
  await send('many_203', 'another');
  const all = await kept();
  expect([all.length, all.includes(bot), all.includes('many_203')]).toEqual([2_000, true, true]);
  expect(await gauge('directory_reports')).toBe(2_000);
  expect(await gauge('directory_reports_dropped')).toBe(3);
  await fill(203, "redis.call('DEL', KEYS[1] .. i)", many);
});

it('blocks: one too many is refused', async () => {
  await fill(10_000, "redis.call('HSET', KEYS[1], 'words:' .. i, '{}')", keys.blocks);
  const moderation = createModerationStore(store);
  expect(await moderation.block(operator, { kind: 'words', value: 'one too many' }, '')).toBe('full');
  expect(await gauge('directory_blocks')).toBe(10_000);
});

it('the audit log: the oldest lines go', async () => {
  await fill(maxAuditLines + 500, "redis.call('XADD', KEYS[1], '*', 'at', i)", keys.audit);
  await createModerationStore(store).setSubmissions(operator, false, '');
  // Redis trims whole nodes of a hundred lines.
  expect(await gauge('directory_audit_lines')).toBeLessThanOrEqual(maxAuditLines + 100);
});

it('clients of the rate limit: their keys expire with the window', async () => {
  const clients = await client.keys(`${keys.rateLimitPrefix}*`);
  expect(clients).toHaveLength(1);
  expect(await client.pttl(clients[0] ?? '')).toBeLessThanOrEqual(60_000);
  expect(await gauge('store_keys')).toBe(await client.dbsize());
});

it('the reads of the event log that wait for the store: nobody else waits for them', async () => {
  await publishMany(service.redis?.url ?? '', { count: 200, descriptionBytes: 500 });
  const readers = Promise.all(Array.from({ length: 800 }, () => service.get('/api/events?limit=200')));
  const statuses = new Set<number>();
  const over = new AbortController();
  void readers.finally(() => over.abort()).catch(() => undefined);
  while (!over.signal.aborted) {
    statuses.add((await service.get('/api/bots')).status);
    statuses.add((await service.get('/readyz')).status);
  }
  expect([...statuses]).toEqual([200]);
  expect((await readers).every(({ status }) => status === 200 || status === 503)).toBe(true);
});

it('a client that reads the event log without end: others wait for few of its reads, and the store makes fewer', async () => {
  const redis = service.redis?.url ?? '';
  await publishMany(redis, { count: 200, descriptionBytes: 500 });
  const other = await startProcess({ REDIS_URL: redis, TEMPLATE_HOST: templateHost, ROLE: 'web' });
  /** Sums the metrics whose lines begin with `name`. */
  const counted = async (name: string): Promise<number> => {
    const lines = String((await other.get('/metrics')).body).split('\n');
    return lines.reduce((sum, line) => sum + (line.startsWith(name) ? Number(line.split(' ').at(-1)) : 0), 0);
  };
  const reads = (): Promise<number> => counted('http_request_duration_seconds_count{route="/api/events"');
  const connections = 900;
  const url = `${other.url}/api/events?limit=200`;
  const loop = fork(new URL('./read-without-end.mjs', import.meta.url), [url, String(connections)]);
  await until('it reads', async () => (await reads()) >= 2 * connections);
  const between: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const before = await reads();
    expect((await other.get('/api/bots?limit=1')).status).toBe(200);
    between.push((await reads()) - before);
  }
  const ofStore = await counted('store_operation_duration_seconds_count{operation="read-events"}');
  expect(ofStore).toBeLessThan((await reads()) / 10);
  loop.kill();
  await once(loop, 'exit');
  await other.stop();
  // It includes a read of the metrics.
  expect(between.sort((a, b) => a - b)[10]).toBeLessThan(connections / 3);
});

it('the reads of the event log that wait while the store hangs: all are refused', async () => {
  const refusals: Problem[] = [];
  process.kill(service.redis?.pid ?? 0, 'SIGSTOP');
  const readers = Array.from({ length: 800 }, async () => {
    const { status, body } = await service.get<Problem>('/api/events?limit=1');
    if (status === 503) refusals.push(body);
  });
  await until('some are refused', () => refusals.length > 0);
  process.kill(service.redis?.pid ?? 0, 'SIGCONT');
  await Promise.all(readers);
  await until('the store is back', async () => (await service.get('/healthz/store')).status === 200);
});
