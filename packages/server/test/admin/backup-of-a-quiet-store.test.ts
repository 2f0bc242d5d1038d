/**
 * A directory in which nothing has happened for so long that its event log is empty has webhooks that know the last
 * event. Its backup is restored like any other, and its webhooks go on from there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import { deliverySettings, startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

let offsetMs = 0;
const dir = mkdtempSync(join(tmpdir(), 'bot-directory-quiet-'));
afterAll(() => rmSync(dir, { recursive: true }));
const source = useStarted(() => startDelivery({ world: { offsetMs: () => offsetMs } }));
const copy = useStarted(startTestRedis);

/** Some get everything; one gets only bots of another category. */
const paths = ['/all', '/marketing', '/sales'];
const filters = [undefined, { category: ['Marketing'] }, { category: ['Sales'] }];

it('is restored, and goes on with the next event', async () => {
  for (const [i, path] of paths.entries())
    await source.register(path, filters[i] === undefined ? {} : { filter: filters[i] });
  await source.publish('Old', { categories: ['Marketing'] });
  await until('it is delivered', () => ['/all', '/marketing'].every((path) => source.slugs(path).length === 1));
  const redis = new Redis(source.redis?.url ?? '');
  offsetMs = 40 * 86_400_000;
  await until('the log is empty', async () => (await redis.xlen(keys.events)) === 0);
  redis.disconnect();

  const file = join(dir, 'backup.ndjson');
  await operatorOf(source.redis?.url ?? '').run('export', '--with-keys', '--file', file);
  const operator = operatorOf(copy.url);
  await operator.run('import', file, '--resume', '--with-keys');
  expect((await operator.attempt('check')).output).toContain('No problems found');

  const service = await startService({
    redis: copy,
    provider: source.provider,
    settings: deliverySettings,
    world: { offsetMs: () => offsetMs, ca: source.receiver.ca },
  });
  const slugs = (path: string): string[] => source.slugs(path).slice(path === '/sales' ? 0 : 1);
  await service.publish('Later', { categories: ['Marketing'] });
  await service.publish('Last of all', { categories: ['Sales'] });
  await until(
    'both are delivered',
    () => slugs('/all').length + slugs('/marketing').length + slugs('/sales').length >= 4,
  );
  await service.stop();
  expect(paths.map(slugs)).toEqual([['later', 'last-of-all'], ['later'], ['last-of-all']]);
});
