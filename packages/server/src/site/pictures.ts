/**
 * Pictures of bots for other sites' previews of links, drawn when they are first wanted. A thread of its own draws one
 * after another, for half a minute at most each; without work it ends. What can't be drawn has no picture:
 * decision 0121.
 */
import { Worker } from 'node:worker_threads';
import { BoundedCache } from '../base/bounded-cache.ts';
import { createLimiter, sharedByKey } from '../base/limiter.ts';

/** What is asked of the thread, and what it says: see `draw-worker.ts`. */
export type Drawing = { readonly svg: string };
export type Drawn = { readonly png: Uint8Array | undefined };

/** `png` undefined: it could not be drawn. */
type Picture = { readonly png: Buffer | undefined; readonly triedAtMs: number };

const usual = {
  /** How long a drawing may take, and a request waits for one. */
  drawMs: 30_000,
  waitMs: 5_000,
  /** How many may wait for their drawing. */
  waiting: 50,
  /** How long the thread lives without work, and how soon a failed drawing is tried again. */
  idleMs: 20_000,
  retryMs: 600_000,
  /** All pictures that are kept. */
  heldBytes: 16 * 1_048_576,
};
/** What an entry takes besides its picture and its key. */
const overheadBytes = 500;
/** The heap of the thread; WebAssembly has its own memory. */
const heapMb = 64;

/** The thread's program is built next to the others, and the source uses it there. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/draw-worker.js' : 'draw-worker.js',
  import.meta.url,
);

/** The pictures of a process. */
export class Pictures {
  readonly #limits: typeof usual;
  readonly #known: BoundedCache<Picture>;
  readonly #share = sharedByKey<unknown>();
  readonly #inTurn: ReturnType<typeof createLimiter>;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<typeof usual> = {}) {
    this.#limits = { ...usual, ...limits };
    this.#inTurn = createLimiter({ atOnce: 1, waiting: this.#limits.waiting });
    this.#known = new BoundedCache<Picture>({
      max: this.#limits.heldBytes,
      sizeOf: (svg, { png }) => 2 * svg.length + (png?.length ?? 0) + overheadBytes,
    });
  }

  /** The picture, if it has been drawn. */
  drawn(svg: string): Buffer | undefined {
    return this.#known.get(svg)?.png;
  }

  /** Resolves when it has been drawn or could not be, or when a request has waited long enough. */
  async draw(svg: string): Promise<void> {
    const known = this.#known.get(svg);
    const { retryMs, waitMs } = this.#limits;
    if (known !== undefined && (known.png !== undefined || performance.now() - known.triedAtMs < retryMs)) return;
    // With too many waiting, the request does not wait.
    const made = this.#share(svg, () => this.#inTurn(() => this.#drawOne(svg)) ?? Promise.resolve());
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([made, new Promise((resolve) => (timer = setTimeout(resolve, waitMs)))]);
    clearTimeout(timer);
  }

  async #drawOne(svg: string): Promise<void> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= started());
    const answer = await this.#answerOf(worker, svg);
    this.#known.set(svg, { png: answer?.png && Buffer.from(answer.png), triedAtMs: performance.now() });
    // A thread that is late, or has ended, is not used again.
    if (answer === undefined) this.#end();
    else this.#idle = setTimeout(() => this.#end(), this.#limits.idleMs).unref();
  }

  #answerOf(worker: Worker, svg: string): Promise<Drawn | undefined> {
    return new Promise((resolve) => {
      const settle = (answer?: Drawn): void => {
        clearTimeout(timer);
        worker.off('message', settle).off('error', fail).off('exit', fail);
        resolve(answer);
      };
      const fail = (): void => settle();
      const timer = setTimeout(fail, this.#limits.drawMs);
      worker.on('message', settle).on('error', fail).on('exit', fail);
      worker.postMessage({ svg } satisfies Drawing);
    });
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** Starts the thread, which keeps no process alive. */
const started = (): Worker => {
  const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  worker.on('error', () => undefined).unref();
  return worker;
};
