/** Permits to use an origin: so many at once. */
import { DeadlineExceeded } from './connection.ts';

/** The permits of one origin that are in use, and who waits for one. */
type InUse = { running: number; readonly waiting: Set<() => void> };

/** The permits of all origins. Who waits for one gets it first come, first served. */
export class Permits {
  readonly #most: number;
  readonly #origins = new Map<string, InUse>();

  /** `most`: permits of one origin. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for a permit, if it has to. Rejects with DeadlineExceeded. */
  acquire(name: string, timeoutMs: number): Promise<void> | undefined {
    const origin = this.#origins.get(name);
    if (origin === undefined) this.#origins.set(name, { running: 1, waiting: new Set() });
    else if (origin.running < this.#most) origin.running += 1;
    else return this.#wait(origin, timeoutMs);
    return undefined;
  }

  /** Returns a permit, which goes to the first that waits. */
  release(name: string): void {
    const origin = this.#origins.get(name);
    if (origin === undefined) return;
    const [next] = origin.waiting;
    if (next !== undefined) next();
    else if ((origin.running -= 1) === 0) this.#origins.delete(name);
  }

  #wait({ waiting }: InUse, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(deadline);
        waiting.delete(start);
        resolve();
      };
      const deadline = setTimeout(() => {
        waiting.delete(start);
        reject(new DeadlineExceeded());
      }, timeoutMs);
      waiting.add(start);
    });
  }
}
