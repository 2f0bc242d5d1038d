/** `check` finds nothing in a healthy store, whatever is written meanwhile, and still finds damage. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys, partitions } from '../../src/store/keys.ts';

type Found = readonly { readonly finding: string }[];

let operator: ReturnType<typeof operatorOf>;
let redis: Redis;
const service = useStarted(() => startDelivery({ settings: { TRUST_PROXY: 'loopback' } }));
let isOver = false;
let writing: Promise<unknown>;

/** Begins again soon after it is done, until the end of the test. */
const again = async (write: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; !isOver; n += 1) {
    await write(n);
    await sleep(100);
  }
};

beforeAll(async () => {
  operator = operatorOf(service.redis?.url ?? '', service.url);
  redis = new Redis(service.redis?.url ?? '');
  for (const name of ['Damaged', 'Popular', 'Edited']) await service.publish(name);
  for (let i = 0; i < 5; i += 1) await service.register(`/${i}`);
  writing = Promise.all([
    again(async (n) => {
      const slug = await service.publish(`Submitted ${n}`);
      await service.post(`/api/bots/${slug}/reports`, { reason: 'spam' });
      await operator.run('hide', slug, '--reason', 'Spam.');
      if (n % 2 === 0) await operator.run('restore', slug);
      if (n % 2 === 1) await operator.run('remove', slug, '--reason', 'Spam.');
      await operator.run('reports', 'close', slug);
    }),
    again((n) => operator.run('edit', 'edited', '--category', n % 2 === 0 ? 'Finance' : 'Sales')),
    again((n) => service.install('popular', n % 256)),
    again(async (n) => {
      await service.register(`/more/${n}`);
      await service.api('DELETE', '/api/webhooks/bots', { body: { url: service.receiver.url(`/more/${n}`) } });
    }),
  ]);
});
afterAll(async () => {
  isOver = true;
  await writing;
  redis.disconnect();
});

it('finds nothing in a store that is only busy', async () => {
  for (let i = 0; i < 3; i += 1) expect(await operator.run('check')).toEqual([]);
});

it('finds what is damaged, and nothing else', async () => {
  await redis.hdel(keys.slugs, 'damaged');
  await redis.hset(partitions[0]?.hosts ?? '', 'a.example.com', 3);
  const found = (await operator.run<Found>('check')).map(({ finding }) => finding);
  expect(found.sort()).toEqual([
    'some of bots:{directory}:slugs are missing or wrong',
    'some of bots:{webhooks-0}:hosts belong to nothing',
  ]);
});
