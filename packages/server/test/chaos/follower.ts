/** A reader of the event stream that connects again whenever its stream ends, and resumes after its last event. */
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '@bot-directory/testing/event-stream';

const pauseMs = 50;

/** Begins after an event. `url`: where to connect next. */
export const follow = (url: () => string, after: string) => {
  let text = '';
  let last = after;
  let current: Awaited<ReturnType<typeof listen>> | undefined;
  let isStopped = false;
  const isOver = (): boolean => isStopped;
  const run = async (): Promise<void> => {
    while (!isOver()) {
      current = await listen(`${url()}/api/events/stream`, { 'Last-Event-ID': last }).catch(() => undefined);
      while (current?.ended() === false && !isOver()) await sleep(pauseMs);
      await current?.stop();
      text += current?.text() ?? '';
      current = undefined;
      last = [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? after;
      await sleep(pauseMs);
    }
  };
  const ended = run();
  const textSoFar = (): string => text + (current?.text() ?? '');
  return {
    /** All that has come, over all connections. */
    text: textSoFar,
    stop: async (): Promise<void> => {
      isStopped = true;
      await ended;
    },
  };
};
