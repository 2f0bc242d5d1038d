import { beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

/** More than a process reads from the store at once. */
const count = 1_150;
const atOnce = 10;

const service = useStarted(startService);
beforeAll(async () => {
  for (let i = 0; i < count; i += atOnce) {
    await Promise.all(
      Array.from({ length: atOnce }, (_, j) =>
        service.publish(`Bot ${i + j}`, { integrations: [`tool ${(i + j) % 7}`] }),
      ),
    );
  }
});

const plain = { 'Accept-Encoding': 'identity' };

it('a process that starts late reads the same list, byte for byte, although bots have changed', async () => {
  for (const slug of ['bot-0', 'bot-500', 'bot-1100', 'bot-3'])
    await service.post(`/api/bots/${slug}/integrations`, { integrations: ['Changed later'] });
  const late = await startService({
    redis: service.redis,
    provider: service.provider,
    settings: { BASE_URL: service.url },
  });
  const [known, read] = await Promise.all([service, late].map((one) => one.get<Bot[]>('/api/bots', plain)));
  expect(read?.body).toHaveLength(count);
  expect(read?.body).toEqual(known?.body);
  expect(read?.headers.get('etag')).toBe(known?.headers.get('etag'));
  const changed = await late.get<Bot[]>('/api/bots?integration=changed-later');
  expect(changed.body.map(({ name }) => name).sort()).toEqual(['Bot 0', 'Bot 1100', 'Bot 3', 'Bot 500']);
  await late.stop();
});

it('pages of 200 make up the whole list', async () => {
  const paged: Bot[] = [];
  let path: string | undefined = '/api/bots?limit=200';
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof service.get<Bot[]>>> = await service.get<Bot[]>(path);
    paged.push(...page.body);
    path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]?.slice(service.url.length);
  }
  expect(paged).toEqual((await service.get<Bot[]>('/api/bots')).body);
});

it('many readers of every encoding, while it changes, each get a whole list that is as new as their request', async () => {
  let published = count;
  const read = async (encoding: string): Promise<void> => {
    for (let i = 0; i < 15; i += 1) {
      const atLeast = published;
      const { body, headers } = await service.get<Bot[]>('/api/bots', { 'Accept-Encoding': encoding });
      expect(body.length).toBeGreaterThanOrEqual(atLeast);
      expect(headers.get('x-total-count')).toBe(String(body.length));
    }
  };
  const write = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) {
      await service.publish(`Late bot ${i}`);
      published += 1;
    }
  };
  await Promise.all([...['identity', 'gzip', 'br', 'gzip, br'].map(read), write()]);
});
