import { afterEach, expect, it, vi } from 'vitest';
import { createIds, type BotId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { TextWatch } from './text-watch.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('compares each bot of a wave, and those that come after it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const reported: string[] = [];
  const watch = new TextWatch({
    directory: { imitationBy: () => ({ part: 'text' as const, of: 'original' }), fresh: () => Promise.resolve() },
    reports: { add: ({ id, subject }) => Promise.resolve(id).finally(() => reported.push(subject)) },
    ids: createIds(() => 0),
    log: createLog('silent'),
  });
  const publish = (n: number): void => watch.see({ id: `bot-${n}` as BotId, slug: `bot-${n}` });
  const wave = Array.from({ length: 200 }, (_, i) => i + 1);
  for (const n of wave) publish(n);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect.poll(() => reported.length).toBe(wave.length);
  publish(201);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect.poll(() => reported).toEqual([...wave, 201].map((n) => `bot-${n}`));
});
