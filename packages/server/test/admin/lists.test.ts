/** A list of the operator that is cut says so, whichever it is, and shows everything when asked to. */
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '@bot-directory/testing/operator';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const operator = () => operatorOf(service.redis?.url ?? '', service.url);
const receiver = useStarted(startReceiver);
const service = useStarted(() =>
  startService({ settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, world: { ca: receiver.ca } }),
);
beforeAll(async () => {
  const add = async (i: number): Promise<void> => {
    await service.publish(`Bot ${i}`);
    await service.post('/api/feed', { url: `https://x.com/ada/status/${i + 1}` });
    await service.post('/api/webhooks/bots', { url: receiver.url(`/hook/${i}`) });
    await operator().run('block', 'words', `phrase ${i}`);
  };
  await Promise.all(Array.from({ length: 52 }, (_, i) => add(i)));
});

describe.each(['bots', 'posts', 'webhooks', 'audit'])('the list of %s', (name) => {
  const list = async (...options: string[]) => {
    const { code, out, error } = await operator().carryOut('--json', name, ...options);
    expect(code, error).toBe(0);
    return { rows: (JSON.parse(out) as unknown[]).length, error };
  };

  it('says on standard error that there is more, and how to see it', async () => {
    expect(await list()).toEqual({ rows: 50, error: expect.stringMatching(/more than these 50: --all/) });
    expect(await list('--limit', '51')).toEqual({ rows: 51, error: expect.stringContaining('--all') });
  });

  it('is whole, and says nothing, with all of them', async () => {
    for (const options of [['--all'], ['--limit', '500']]) {
      const { rows, error } = await list(...options);
      expect(rows).toBeGreaterThanOrEqual(52);
      expect(error).toBe('');
    }
  });
});

it('of what operators did names them as --by says, where the system has no name for them', async () => {
  const { code } = await operator().carryOut('--by', 'Ada Lovelace', 'submissions', 'off');
  expect(code).toBe(0);
  expect(await operator().run('audit', '--limit', '1')).toMatchObject([{ by: 'Ada Lovelace' }]);
  expect(await operator().attempt('--by', '', 'submissions', 'on')).toMatchObject({ code: 1 });
});
