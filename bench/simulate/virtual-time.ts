/**
 * A clock of our own for the whole process: timers, `Date` and `performance` follow it. It advances when nothing is
 * left to do: the event loop has nothing but timers, and no command to Redis is under way. Redis is real, and its
 * scripts get the difference between this clock and its own.
 *
 * Start it before anything that waits is imported.
 */
import { syncBuiltinESMExports } from 'node:module';
import { install } from '@sinonjs/fake-timers';
import { Redis } from 'ioredis';

export type VirtualTime = ReturnType<typeof startVirtualTime>;

/**
 * How long a blocking read waits for events: shorter than the time after which the engine considers the connection
 * dead.
 */
const bellMs = 1_900;

/** Starts the clock. */
export const startVirtualTime = () => {
  const realNow = Date.now;
  const realSteadyMs = performance.now.bind(performance);
  const immediately = setImmediate;
  let underWay = 0;
  const bells = new Set<() => void>();

  // oxlint-disable-next-line typescript/unbound-method -- called with `apply`
  const { sendCommand } = Redis.prototype;
  Redis.prototype.sendCommand = function (this: Redis, ...args: Parameters<typeof sendCommand>) {
    underWay += 1;
    const done = (): void => void (underWay -= 1);
    args[0].promise.then(done, done);
    return sendCommand.apply(this, args);
  };
  // A blocking command would wait by Redis's clock: here it waits by ours.
  Redis.prototype.xread = function () {
    return new Promise((resolve) => {
      const ring = (): void => {
        clearTimeout(timer);
        bells.delete(ring);
        resolve(null);
      };
      const timer = setTimeout(ring, bellMs);
      bells.add(ring);
    });
  };

  const clock = install({
    now: realNow(),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  // For modules that import their timers from `node:timers/promises`.
  syncBuiltinESMExports();

  /** Waits until there is nothing left to do at this instant. */
  const quiet = async (): Promise<void> => {
    let turns = 0;
    while (turns < 2) {
      await new Promise((resolve) => immediately(resolve));
      turns = underWay === 0 ? turns + 1 : 0;
    }
  };

  return {
    /** Reads the real clock, for how long the simulation itself takes. */
    realMs: realSteadyMs,
    offsetMs: (): number => clock.now - realNow(),
    /** Ends the blocking reads, because the log has grown. */
    ring: (): void => {
      for (const ring of bells) ring();
    },
    quiet,
    /** Lets time pass until an instant. */
    until: async (atMs: number): Promise<void> => {
      const end = setTimeout(() => undefined, atMs - clock.now);
      for (;;) {
        await quiet();
        if (clock.now >= atMs) break;
        clock.next();
        clock.tick(0);
      }
      clearTimeout(end);
    },
  };
};
