import { describe, expect, it } from 'vitest';
import { contract, type Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() => startService({ redis: null }));

const valid: Record<string, unknown> = {
  submitBot: { link: 'https://templates.example.com/bot/t' },
  addIntegrations: { integrations: ['slack'] },
  refreshBot: {},
  reportBot: { reason: 'spam' },
  addPost: { url: 'https://x.com/jo/status/1' },
  reportPost: { url: 'https://x.com/jo/status/1', reason: 'spam' },
  addWebhook: { url: 'https://hooks.example.com/' },
  testWebhook: { url: 'https://hooks.example.com/' },
  removeWebhook: { url: 'https://hooks.example.com/' },
};
const writes = Object.entries(contract).filter(([, { method }]) => method !== 'GET');

describe('a service without a store', () => {
  it.each(writes)('%s is a 503 for valid input, and a 400 for bad input', async (name, { method, path }) => {
    const address = path.replace(':slug', 'a-bot');
    const answer = await service.api<Problem>(method, address, { body: valid[name] });
    expect([answer.status, answer.body.code]).toEqual([503, 'saving_not_configured']);
    expect((await service.api(method, address, { body: [] })).status).toBe(400);
  });

  it.each(['/api/bots', '/api/feed', '/api/integrations'])('%s is empty', async (path) => {
    const answer = await service.get(path);
    expect([answer.status, answer.body]).toEqual([200, []]);
  });

  it.each([
    '/api/events',
    '/api/events/stream',
    '/api/webhooks/keys',
    '/api/webhooks/bots/status?url=https://hooks.example.com/',
  ])('%s is a 503', async (path) => {
    const answer = await service.get<Problem>(path);
    expect([answer.status, answer.body.code]).toEqual([503, 'saving_not_configured']);
  });

  it('is healthy, and not ready unless that is set', async () => {
    const meant = await startService({ redis: null, settings: { REDIS_URL: 'none' } });
    expect((await service.get('/healthz')).status).toBe(200);
    for (const path of ['/readyz', '/healthz/store']) {
      const { status, body } = await service.get<{ reason: string }>(path);
      expect([path, status, body.reason]).toEqual([path, 503, expect.stringMatching(/^REDIS_URL is not set: /)]);
      expect([path, (await meant.get(path)).status]).toEqual([path, 200]);
    }
    expect((await meant.post<Problem>('/api/bots/submit', valid.submitBot)).body.code).toBe('saving_not_configured');
    await meant.stop();
  });

  it('counts on from one scrape of its metrics to the next', async () => {
    const cpuSeconds = async (): Promise<number> =>
      Number(/^process_cpu_seconds_total (\S+)$/m.exec((await service.get<string>('/metrics')).body)?.[1]);
    const seen: number[] = [];
    for (let i = 0; i < 20; i += 1) seen.push(await cpuSeconds());
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});
