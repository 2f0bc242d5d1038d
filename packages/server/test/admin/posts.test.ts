/** What an operator does to posts shows at once in every process, in one step and as one line of the audit log. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Post } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

type Row = { readonly id: string; readonly state: string; readonly url: string; readonly reason: string };

let operator: ReturnType<typeof operatorOf>;
const url = (handle: string, status: number) => `https://x.com/${handle}/status/${status}`;

const one = useStarted(startService);
const other = useStarted(() =>
  startService({ redis: one.redis, provider: one.provider, settings: { BASE_URL: one.url } }),
);
beforeAll(async () => {
  operator = operatorOf(one.redis?.url ?? '', one.url);
  for (const [handle, status] of [
    ['ada', 1],
    ['spam', 2],
    ['ada', 3],
    ['spam', 4],
  ] as const)
    expect((await one.post('/api/feed', { url: url(handle, status) })).status).toBe(200);
});

const statuses = async (service = other): Promise<number[]> =>
  (await service.get<Post[]>('/api/feed')).body.map((post) => Number(post.url.split('/').at(-1)));
const audited = async () =>
  (await operator.run<{ action: string; reason: string; bots: string[] }[]>('audit')).filter(({ action }) =>
    action.endsWith('-posts'),
  );

describe('posts', () => {
  it('that are hidden leave the feed of every process, and come back to their places', async () => {
    const before = (await other.get('/api/feed')).headers.get('etag');
    const { count } = await operator.run<{ count: number }>('posts', 'hide', url('ada', 3), '--reason', 'Look at it');
    expect([count, await statuses(), await statuses(one)]).toEqual([1, [4, 2, 1], [4, 2, 1]]);
    expect((await other.get('/api/feed')).headers.get('etag')).not.toBe(before);
    // It read the feed without the post.
    const late = await startService({ redis: one.redis, provider: one.provider, settings: { BASE_URL: one.url } });
    expect(await statuses(late)).toEqual([4, 2, 1]);
    expect(await operator.run('posts', '--state', 'hidden')).toMatchObject([{ state: 'hidden', reason: 'Look at it' }]);
    expect((await one.post('/api/feed', { url: url('ada', 3) })).status).toBe(409);
    await operator.run('posts', 'restore', url('ada', 3));
    for (const service of [one, other, late]) expect(await statuses(service)).toEqual([4, 3, 2, 1]);
    await late.stop();
    expect((await audited()).map(({ action, reason }) => [action, reason])).toEqual([
      ['restore-posts', ''],
      ['hide-posts', 'Look at it'],
    ]);
  });

  it('of an author are removed in one step, which a backup keeps and check finds in order', async () => {
    const result = await operator.run<{ posts: string[] }>('posts', 'remove', '--author', '@Spam');
    expect([result.posts.length, await statuses()]).toEqual([2, [3, 1]]);
    expect((await audited())[0]?.bots.toSorted()).toEqual(result.posts.toSorted());
    // Whose they were is no longer known.
    expect(await operator.run('posts', '--author', 'spam')).toEqual([]);
    const rows = await operator.run<Row[]>('posts', '--state', 'removed');
    expect(rows.map(({ id, url: left }) => [result.posts.includes(id), left])).toEqual([
      [true, ''],
      [true, ''],
    ]);
    const again = await one.post<Post>('/api/feed', { url: url('spam', 2) });
    expect([again.status, again.body.url]).toEqual([409, url('spam', 2)]);

    const folder = mkdtempSync(join(tmpdir(), 'posts-'));
    const empty = await startTestRedis();
    const copy = operatorOf(empty.url);
    await operator.run('export', '--file', join(folder, 'all.ndjson'));
    await copy.run('import', join(folder, 'all.ndjson'));
    expect(await copy.run('posts')).toEqual(await operator.run('posts'));
    for (const store of [operator, copy]) {
      await store.run('rebuild');
      expect(await store.run('check')).toEqual([]);
    }
    rmSync(folder, { recursive: true });
    await empty.stop();
    expect(await operator.run('posts', 'restore', ...rows.map(({ id }) => id))).toMatchObject({ count: 0 });
    expect(await statuses()).toEqual([3, 1]);
  });

  it.each([
    ['none that is named', ['posts', 'hide']],
    ['an unknown one', ['posts', 'hide', 'post_none']],
    ['an unknown status', ['posts', 'hide', url('ada', 3), url('ada', 99)]],
  ])('are not changed by a command with %s', async (_what, words) => {
    const { code } = await operator.attempt(...words);
    expect([code, await statuses()]).toEqual([1, [3, 1]]);
  });
});
