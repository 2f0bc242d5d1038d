/** Whatever a stranger or time could make grow has a bound: each is crossed here, and its gauge tells how far it is. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import type { BotId, ReportId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { createBotStore, maxVisitors } from '../../src/store/bot-store.ts';
import { EventLog } from '../../src/store/event-log.ts';
import { keys } from '../../src/store/keys.ts';
import { createModerationStore, maxAuditLines } from '../../src/store/moderation-store.ts';
import type { Store } from '../../src/store/redis.ts';
import { createReportStore } from '../../src/store/report-store.ts';
import { publishMany } from '../support/many-events.ts';
import { startService, type Service } from '../support/service.ts';
import { openTestStore } from '../support/store.ts';
import { until } from '../support/until.ts';

let service: Service;
let client: Redis;
let store: Store;
let bot: BotId;
beforeAll(async () => {
  service = await startService({ settings: { WRITE_RATE_LIMIT: '1000/1m' } });
  client = new Redis(service.redis?.url ?? '');
  store = await openTestStore(service.redis?.url ?? '');
  await service.publish('First');
  bot = (await client.zrange(keys.bots, '0', '-1'))[0] as BotId;
});
afterAll(async () => {
  await store.close();
  client.disconnect();
  await service.stop();
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
  const line = "redis.call('ZADD', KEYS[1], redis.call('TIME')[1] * 1000 + i / 1000, 'other:' .. i)";
  await fill(maxVisitors, line, keys.installs);
  expect(await createBotStore(store, service.url).countInstall(bot, 'somebody')).toBe('counted');
  expect(await client.zcard(keys.installs)).toBe(maxVisitors);
  expect(await gauge('directory_install_visitors')).toBe(maxVisitors);
  expect(await client.zscore(keys.installs, 'other:1')).toBeNull();
});

it('the event log: the oldest go', async () => {
  for (let i = 1; i <= 30; i += 1) await service.publish(`Event ${i}`);
  const log = new EventLog(store, createLog('silent'));
  const before = (await client.xrange(keys.events, '-', '+')).map(([id]) => id);
  const oldest = await log.trim(10);
  const after = (await client.xrange(keys.events, '-', '+')).map(([id]) => id);
  expect(after).toEqual(before.slice(-10));
  expect(after[0]).toBe(`${oldest?.number}-0`);
  expect([await client.zcard(keys.eventIds), await gauge('webhook_events')]).toEqual([10, 10]);
});

it('reports: the oldest of a bot go', async () => {
  const reports = createReportStore(store);
  for (let i = 0; i < 105; i += 1)
    await reports.add({ id: `rep_${i}` as ReportId, botId: bot, reason: 'spam', text: '' });
  expect(await reports.list()).toHaveLength(100);
  expect(await gauge('directory_reports')).toBe(100);
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
  // Redis takes whole nodes of a hundred lines.
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

it('the reads of the event log that wait while the store hangs: more are refused at once', async () => {
  const refusals: Problem[] = [];
  process.kill(service.redis?.pid ?? 0, 'SIGSTOP');
  const readers = Array.from({ length: 800 }, async () => {
    const { status, body } = await service.get<Problem>('/api/events?limit=1');
    if (status === 503) refusals.push(body);
  });
  await until('some are refused', () => refusals.length > 0);
  process.kill(service.redis?.pid ?? 0, 'SIGCONT');
  await Promise.all(readers);
  expect(refusals.map(({ detail }) => detail)).toContain('Too many read the event log at the moment.');
  await until('it is ready', async () => (await service.get('/readyz')).status === 200);
});
