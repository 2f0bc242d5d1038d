import { afterEach, expect, it, vi } from 'vitest';
import { createIds, type BotId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { TextWatch } from './text-watch.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('compares twenty of a wave, and those that come after it', async () => {
  vi.useFakeTimers();
  const reported: string[] = [];
  const watch = new TextWatch({
    directory: { imitationBy: () => ({ part: 'text' as const, of: 'original' }), fresh: () => Promise.resolve() },
    reports: { add: ({ id, subject }) => Promise.resolve(id).finally(() => reported.push(subject)) },
    ids: createIds(() => 0),
    log: createLog('silent'),
  });
  const publish = (n: number): void => watch.see({ id: `bot-${n}` as BotId, slug: `bot-${n}` });
  for (let n = 1; n <= 25; n += 1) publish(n);
  await vi.runAllTimersAsync();
  publish(26);
  await vi.runAllTimersAsync();
  expect(reported).toEqual([...Array.from({ length: 20 }, (_, i) => `bot-${i + 1}`), 'bot-26']);
});
