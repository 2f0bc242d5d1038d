import { beforeAll, describe, expect, it } from 'vitest';
import type { Post, Problem } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const url = 'https://x.com/ada/status/1';
let operator: ReturnType<typeof operatorOf>;
const service = useStarted(startService);
beforeAll(async () => {
  operator = operatorOf(service.redis?.url ?? '');
  for (const status of [1, 2]) await service.post('/api/feed', { url: `https://x.com/ada/status/${status}` });
  await service.publish('Reported Bot');
});

const report = (body: object) => service.post<Post & Problem>('/api/feed/reports', body);

describe('reporting a post', () => {
  it('keeps reason and text for the operator, who closes it by the URL', async () => {
    const { status, body } = await report({
      url: 'https://www.x.com/ADA/status/1?s=20',
      reason: 'spam',
      text: 'An ad.',
    });
    expect([status, body]).toEqual([200, { id: expect.stringMatching(/^post_/) as string, url }]);
    await service.post('/api/bots/reported-bot/reports', { reason: 'broken' });
    expect(await operator.run('reports')).toMatchObject([
      { slug: null, post: url, reason: 'spam', text: 'An ad.' },
      { slug: 'reported-bot', reason: 'broken' },
    ]);
    expect(await operator.run('check')).toEqual([]);
    expect(await operator.run('reports', 'close', url)).toEqual({ closed: 1 });
    expect(await operator.run('reports')).toMatchObject([{ slug: 'reported-bot' }]);
    expect((await service.get<unknown[]>('/api/feed')).body).toHaveLength(2);
  });

  it('is closed with a post that is removed, not with one that is hidden', async () => {
    for (const status of [4, 5]) {
      await service.post('/api/feed', { url: `https://x.com/ada/status/${status}` });
      await report({ url: `https://x.com/ada/status/${status}`, reason: 'spam' });
    }
    const reported = async () => (await operator.run<{ post?: string }[]>('reports')).flatMap(({ post }) => post ?? []);
    await operator.run('posts', 'hide', 'https://x.com/ada/status/4', 'https://x.com/ada/status/5');
    expect(await reported()).toEqual(['https://x.com/ada/status/4', 'https://x.com/ada/status/5']);
    await operator.run('posts', 'remove', 'https://x.com/ada/status/4');
    expect(await reported()).toEqual(['https://x.com/ada/status/5']);
    expect(await operator.run('check')).toEqual([]);
    await operator.run('reports', 'close', 'https://x.com/ada/status/5');
  });

  it.each([
    [{ reason: 'spam' }, '/url'],
    [{ url, reason: 'because' }, '/reason'],
    [{ url: 'https://elsewhere.example.com/', reason: 'spam' }, '/url'],
    [{ url, reason: 'spam', text: 1 }, '/text'],
  ])('refuses %j', async (body, pointer) => {
    const { status, body: problem } = await report(body);
    expect([status, problem.errors?.map((error) => error.pointer)]).toEqual([400, [pointer]]);
  });

  it('says that there is no such post, be it hidden or unknown', async () => {
    await operator.run('posts', 'hide', 'https://x.com/ada/status/2');
    for (const status of [2, 3]) {
      const answer = await report({ url: `https://x.com/ada/status/${status}`, reason: 'spam' });
      expect([answer.status, answer.body.code]).toEqual([404, 'post_not_found']);
    }
  });
});
