/** One command takes a person out of the directory, and says what is left of them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

type Erased = { bots: string[]; posts: string[]; left: { what: string; until: string }[] };

let operator: ReturnType<typeof operatorOf>;
const service = useStarted(startService);
beforeAll(() => {
  operator = operatorOf(service.redis?.url ?? '', service.url);
});

const text = async (path: string): Promise<string> => (await fetch(`${service.url}${path}`)).text();

it('erases an author from bots in any state, and the posts of the account, and nothing of anybody else', async () => {
  const author = '@Forget_me';
  const theirs = await service.publish('Theirs', { author, source_url: 'https://x.com/forget_me/status/1' });
  const hidden = await service.publish('Hidden', { author });
  await operator.run('hide', hidden);
  const announced = await service.publish('Announced', {
    author: '@ada',
    source_url: 'https://x.com/forget_me/status/2',
  });
  const others = await service.publish('Others', { author: '@forget_me_not' });
  for (const url of ['https://x.com/forget_me/status/3', 'https://x.com/ada/status/4'])
    expect((await service.post('/api/feed', { url })).status).toBe(200);
  await operator.run('block', 'author', author);
  await service.post(`/api/bots/${others}/reports`, { reason: 'spam', text: 'Is it forget_me?' });

  const asked = await operator.attempt('erase', 'author', author);
  expect([asked.code, asked.output]).toEqual([
    1,
    `erase @forget_me from ${[announced, theirs, hidden].join(', ')}, and 1 posts? Confirm with --yes.`,
  ]);
  expect(await text('/api/bots')).toContain(author);

  const erased = await operator.run<Erased>('erase', 'author', 'forget_me');
  expect([erased.bots, erased.posts.length]).toEqual([[announced, theirs, hidden], 1]);
  expect(erased.left.map(({ what }) => what)).toEqual([
    '1 reports that name it',
    '1 lines of the audit log',
    '1 block of the author',
    'backups and files of Redis from before',
    'what subscribers and mirrors have copied',
  ]);
  const list = (await service.get<Bot[]>('/api/bots')).body;
  expect(list.map(({ slug, author: by }) => [slug, by])).toEqual([
    [others, '@forget_me_not'],
    [announced, '@ada'],
    [theirs, null],
  ]);
  for (const path of ['/api/bots', '/api/events', '/api/feed', '/feed', `/bots/${theirs}`, `/bots/${announced}`])
    expect([path, (await text(path)).match(/forget_me(?!_not)/gi)]).toEqual([path, null]);
  expect(await text('/api/feed')).toContain('/ada/');

  const folder = mkdtempSync(join(tmpdir(), 'erased-'));
  const file = join(folder, 'all.ndjson');
  await operator.run('export', '--file', file);
  const lines = readFileSync(file, 'utf8').match(/^.*forget_me(?!_not).*$/gim) ?? [];
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['block', 'report', 'audit']);
  rmSync(folder, { recursive: true });

  expect(await operator.run('check')).toEqual([]);
  expect(await operator.run('erase', 'author', author)).toMatchObject({ bots: [], posts: [] });
});
