/** No URL of a webhook, no address of a client and no text of a bot is in any log line or metric, at any level. */
import { beforeAll, expect, it } from 'vitest';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { useStarted } from '@bot-directory/testing/use-started';

let server: ServerProcess;
const redis = useStarted(startTestRedis);
const provider = useStarted(startProvider);
beforeAll(async () => {
  server = await startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'trace',
  });
});

it('neither when all goes well, nor when it does not', async () => {
  const headers = { 'X-Forwarded-For': '203.0.113.77', 'User-Agent': 'Tell-Tale/1.0' };
  const send = (method: string, path: string, body: unknown) => server.api(method, path, { body, headers });
  const link = `https://${templateHost}/bot/${provider.template({ name: 'Hush Hush', description: 'Whispered' })}`;
  const published = await send('POST', '/api/bots/submit', { link, author: '@quietly' });
  expect(published.status).toBe(200);
  const url = 'https://hooks.receiver-of-nobody.com/hook?token=tell-nobody';
  const statuses = [];
  for (const [method, path] of [
    ['POST', '/api/webhooks/bots'],
    ['DELETE', '/api/webhooks/bots'],
  ] as const)
    statuses.push((await send(method, path, { url })).status);
  statuses.push((await server.get(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`, headers)).status);
  statuses.push((await server.api('DELETE', `/api/webhooks/bots?url=${encodeURIComponent(url)}`, { headers })).status);
  statuses.push((await server.get('/api/bots?q=whispered&author=quietly', headers)).status);
  process.kill(redis.pid, 'SIGSTOP');
  statuses.push((await send('DELETE', '/api/webhooks/bots', { url })).status);
  process.kill(redis.pid, 'SIGCONT');
  expect(statuses).toEqual([400, 404, 404, 404, 200, 503]);
  const metrics = (await server.get<string>('/metrics')).body;
  expect(await server.stop()).toBe(0);
  expect(server.output()).toContain('"path":"/api/webhooks/bots"');
  for (const text of [server.output(), metrics])
    expect(text).not.toMatch(/tell-nobody|receiver-of-nobody|203\.0\.113\.77|Tell-Tale|Hush|Whispered|quietly/i);
});
