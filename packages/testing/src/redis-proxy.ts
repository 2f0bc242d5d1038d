/** The network between a service and its Redis, which a test can break, slow down or cut in the middle of a reply. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Faults } from './redis-proxy-thread.mjs';

export type RedisProxy = Awaited<ReturnType<typeof startRedisProxy>>;

/** Forwards to the Redis at `url`. Each fault is in effect once its promise resolves. */
export const startRedisProxy = async (url: string) => {
  const thread = new Worker(new URL('redis-proxy-thread.mjs', import.meta.url), { workerData: url, execArgv: [] });
  const [{ port }] = (await once(thread, 'message')) as [{ port: number }];
  const waiting = new Map<number, () => void>();
  thread.on('message', ({ id }: { id: number }) => {
    waiting.get(id)?.();
    waiting.delete(id);
  });
  let id = 0;
  const fault =
    <Name extends keyof Faults>(name: Name) =>
    (...args: Parameters<Faults[Name]>): Promise<void> =>
      new Promise((resolve) => {
        waiting.set((id += 1), resolve);
        thread.postMessage({ id, name, args });
      });
  return {
    url: `redis://127.0.0.1:${port}`,
    /** New connections go to another Redis; existing ones stay. */
    leadNewTo: fault('leadNewTo'),
    /** The same, but existing ones break. */
    leadTo: fault('leadTo'),
    /** All connections break; new ones work. */
    cut: fault('cut'),
    /** Nothing passes through existing connections any more, which stay open; new ones work. */
    freeze: fault('freeze'),
    /** The next connections are accepted, and nothing passes through them. */
    silenceNext: fault('silenceNext'),
    /** Replies travel like this from now on, until `{}`. */
    slowDown: fault('slowDown'),
    /** The next reply that is longer than this is cut after so many bytes, by a reset. */
    resetAfter: fault('resetAfter'),
    /** The next command that holds this text arrives and is run, but its connection breaks before the reply. */
    loseReplyTo: fault('loseReplyTo'),
    /** All connections break, and it no longer listens. */
    stop: async (): Promise<void> => {
      await thread.terminate();
    },
  };
};
