/** The operator sees what was reported at a glance, narrows it, and closes what is narrowed in one step. */
import { beforeAll, expect, it } from 'vitest';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

type Row = { id: string; slug: string | null; reason: string; client: string };

let operator: ReturnType<typeof operatorOf>;
let slugs: string[];
const service = useStarted(() => startService({ settings: { TRUST_PROXY: 'loopback', WRITE_RATE_LIMIT: '0' } }));
beforeAll(async () => {
  operator = operatorOf(service.redis?.url ?? '', service.url);
  slugs = [];
  for (let i = 0; i < 25; i += 1) slugs.push(await service.publish(`Bot ${i}`));
  const report = (slug: string, reason: string, client: string) =>
    fetch(`${service.url}/api/bots/${slug}/reports`, {
      method: 'POST',
      body: JSON.stringify({ reason }),
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': client },
    });
  for (const slug of slugs) expect((await report(slug, 'spam', '192.0.2.1')).status).toBe(200);
  await report(slugs[0] ?? '', 'malware', '192.0.2.2');
  await report(slugs[0] ?? '', 'other', '192.0.2.2');
  await report(slugs[1] ?? '', 'malware', '2001:db8::1');
  await report(slugs[1] ?? '', 'malware', '2001:db8::2');
});

const list = (...args: string[]): Promise<Row[]> => operator.run<Row[]>('reports', ...args);

it('counts a client, which is a network, once for a bot and a reason', async () => {
  expect(await list()).toHaveLength(28);
  expect((await list('bot-0')).map(({ reason }) => reason)).toEqual(['spam', 'malware', 'other']);
});

it('narrows by subject, reason, client and age, and says when it is cut', async () => {
  expect((await list('--reason', 'malware')).map(({ slug }) => slug)).toEqual(['bot-0', 'bot-1']);
  const [flood] = await list('bot-7');
  expect(await list('--client', flood?.client.slice(0, 8) ?? '')).toHaveLength(25);
  expect(await list('bot-0', '--client', flood?.client ?? '')).toHaveLength(1);
  expect(await list('--since', '1h')).toHaveLength(28);
  expect(await list('--until', '1h')).toEqual([]);
});

it('begins with a summary', async () => {
  const { output: text } = await operator.attempt('reports', '--limit', '2');
  expect(text).toMatch(/^28 reports: 25 spam, 2 malware, 1 other\nabout: 3 bot-0, 2 bot-1, /);
  expect(text).toMatch(/\nby client: 25 [\w-]{8}, 2 [\w-]{8}, 1 [\w-]{8}\n/);
  expect(text).toContain('There are more than these 2: --all');
});

it('closes what is narrowed in one step, with one line in the audit log', async () => {
  await expect(operator.run('reports', 'close')).rejects.toThrow('Name bots or posts');
  const [flood] = await list('bot-7');
  expect(await operator.run('--yes', 'reports', 'close', '--client', flood?.client ?? '')).toEqual({ closed: 25 });
  expect((await list()).map(({ slug, reason }) => [slug, reason])).toEqual([
    ['bot-0', 'malware'],
    ['bot-0', 'other'],
    ['bot-1', 'malware'],
  ]);
  expect(await operator.run('audit', '--limit', '1')).toMatchObject([{ action: 'close-reports', count: 25 }]);
  expect(await operator.run('check')).toEqual([]);
});
