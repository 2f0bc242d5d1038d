/** Work that is done again and again, until it is stopped. */
import { Notifier } from './notifier.ts';

/** `stop()` resolves when what is under way is done. */
export type Repeated = { readonly stop: () => Promise<void> };

/** Repeats work. It returns how long to wait before the next time, in milliseconds, and must not throw. */
export const repeat = (work: () => Promise<number>): Repeated => {
  const notifier = new Notifier();
  let isStopping = false;
  const loop = async (): Promise<void> => {
    while (!isStopping) await notifier.sleep(await work());
  };
  const looping = loop();
  return {
    stop: () => {
      isStopping = true;
      notifier.notify();
      return looping;
    },
  };
};
