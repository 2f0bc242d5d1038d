import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, MergedIntegrations, Post } from '@bot-directory/contract';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { useStarted } from '@bot-directory/testing/use-started';

let servers: [ServerProcess, ServerProcess];
const redis = useStarted(startTestRedis);
const provider = useStarted(startProvider);
beforeAll(async () => {
  const settings = {
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    WRITE_RATE_LIMIT: '0',
    LOG_LEVEL: 'error',
    BASE_URL: 'https://directory.example.com',
  };
  servers = await Promise.all([startProcess(settings), startProcess(settings)]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

it('finds every acknowledged write in the very next list of the other process', async () => {
  const hammer = async (from: number): Promise<void> => {
    for (let i = 0; i < 40; i += 1) {
      const [mine, other] = (i + from) % 2 === 0 ? servers : [servers[1], servers[0]];
      const name = `Hammer ${from} ${i}`;
      const published = await mine.post<{ slug: string }>('/api/bots/submit', {
        link: `https://${templateHost}/bot/${provider.template({ name })}`,
      });
      expect(published.status).toBe(200);
      const list = await other.get<Bot[]>('/api/bots');
      expect(list.body.some((bot) => bot.name === name)).toBe(true);
      expect((await other.get(`/api/bots/${published.body.slug}`)).status).toBe(200);
      const merged = await other.post<MergedIntegrations>(`/api/bots/${published.body.slug}/integrations`, {
        integrations: [`tool ${i}`],
      });
      expect(merged.status).toBe(200);
      const [first] = (await mine.get<Bot[]>(`/api/bots?q=${encodeURIComponent(name)}&integration=tool-${i}`)).body;
      expect(first?.integrations).toContain(`tool-${i}`);
      const post = await mine.post<Post>('/api/feed', { url: `https://x.com/jo/status/${from}${i}1` });
      expect((await other.get<Post[]>('/api/feed')).body.some(({ id }) => id === post.body.id)).toBe(true);
    }
  };
  await Promise.all([1, 2, 3, 4].map(hammer));
  const [a, b] = await Promise.all(
    servers.map((server) => server.get<Bot[]>('/api/bots', { 'Accept-Encoding': 'identity' })),
  );
  expect(a?.body).toHaveLength(160);
  expect(b?.headers.get('etag')).toBe(a?.headers.get('etag'));
  expect(b?.body.map(({ id }) => id)).toEqual(a?.body.map(({ id }) => id));
});
