/** The old primary is demoted, and the address points to the new one: nobody stays with the old. */
import { Redis } from 'ioredis';
import { it } from 'vitest';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy } from '@bot-directory/testing/redis-proxy';
import { noPatience, startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';

it('leaves a primary that was demoted, though its connection does not break', async () => {
  const [old, promoted] = [await startTestRedis(), await startTestRedis()];
  const proxy = await startRedisProxy(old.url);
  const service = await startService({ redis: null, settings: { REDIS_URL: proxy.url }, world: noPatience });
  await service.publish('Before');
  const [demoted, primary] = [new Redis(old.url), new Redis(promoted.url)];
  await primary.replicaof('127.0.0.1', new URL(old.url).port);
  await until('it has all', async () => (await primary.dbsize()) === (await demoted.dbsize()));
  await primary.replicaof('NO', 'ONE');
  await proxy.leadNewTo(promoted.url);
  await demoted.replicaof('127.0.0.1', new URL(promoted.url).port);

  await until('writes are taken', async () => {
    const { status } = await service.post('/api/feed', { url: 'https://x.com/jo/status/1' });
    return status === 200;
  });
  await until('it is ready', async () => (await service.get('/readyz')).status === 200);
  for (const client of [demoted, primary]) client.disconnect();
  await service.stop();
  await proxy.stop();
  await Promise.all([old.stop(), promoted.stop()]);
});

it('leaves a replica that it started on, once the address leads to the primary', async () => {
  const [primary, replica] = [await startTestRedis(), await startTestRedis()];
  const redis = new Redis(replica.url);
  await redis.replicaof('127.0.0.1', new URL(primary.url).port);
  const proxy = await startRedisProxy(replica.url);
  const service = await startService({ redis: null, settings: { REDIS_URL: proxy.url }, world: noPatience });
  const write = async (): Promise<number> =>
    (await service.post('/api/feed', { url: 'https://x.com/jo/status/1' })).status;
  await until('writes are refused', async () => (await write()) === 503);
  await proxy.leadNewTo(primary.url);
  await until('writes are taken', async () => (await write()) === 200);
  redis.disconnect();
  await service.stop();
  await proxy.stop();
  await Promise.all([primary.stop(), replica.stop()]);
});
