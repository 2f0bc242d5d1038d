/** The store of a test, which may be patient, and whose clock a test may move. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLog, openStore, parseRedisUrls, StoreClock, type Store, waitForStore, wrapStore } from './server.ts';

/** Longer than a server waits: these tests are not about the speed of a busy machine. */
const patienceMs = 60_000;

/** `offsetMs`: how far time has moved, at the store and here. `deadlineMs`: see `openStore`. */
export type TestStoreOptions = {
  readonly offsetMs?: (() => number) | undefined;
  readonly deadlineMs?: number | undefined;
};

/** Opens the store of a test, by its REDIS_URL, and waits until it responds. The caller closes it. */
export const openTestStore = async (redisUrl: string, options: TestStoreOptions = {}): Promise<Store> => {
  const urls = parseRedisUrls(redisUrl);
  if (!urls.ok) throw new TypeError(`the URL of a test's store ${urls.why}`);
  const store = storeOpener({ deadlineMs: patienceMs, ...options })(urls.value, createLog('silent'));
  if (!(await waitForStore(store, patienceMs))) throw new Error('the store of a test never answered');
  return store;
};

/** Returns an `openStore` with these options. */
export const storeOpener =
  ({ offsetMs, deadlineMs }: TestStoreOptions): typeof openStore =>
  (urls, log, options) => {
    const store = withoutKeysInArguments(openStore(urls, log, { ...options, deadlineMs }));
    return offsetMs === undefined ? store : { ...movedScripts(store, offsetMs), clock: new MovedClock(log, offsetMs) };
  };

/** A store that refuses a key among the arguments of a script: the client would add no prefix to it. */
const withoutKeysInArguments = (store: Store): Store =>
  wrapStore(store, (send) => (request) => {
    if ('script' in request && request.args.some((arg) => String(arg).startsWith('bots:')))
      throw new TypeError(`${request.name} gets a key as an argument`);
    return send(request);
  });

/** What a process knows of the store's clock when time has moved for both. */
class MovedClock extends StoreClock {
  readonly #offsetMs: () => number;

  constructor(log: ConstructorParameters<typeof StoreClock>[0], offsetMs: () => number) {
    super(log);
    this.#offsetMs = offsetMs;
  }

  override steadyMs(): number {
    return super.steadyMs() + this.#offsetMs();
  }

  override get nowMs(): number {
    return super.nowMs ?? Date.now() + this.#offsetMs();
  }
}

const clockLua = readFileSync(new URL('../../server/src/store/include/clock.lua', import.meta.url), 'utf8');
const movedClockLua = `local movedMs = tonumber(table.remove(ARGV))
${clockLua.replace(/return (.*),/, 'return $1 + movedMs,')}`;

/** A store whose scripts have another text of `clock.lua`: it takes from their arguments how far time has moved. */
export const movedScripts = (store: Store, offsetMs: () => number): Store =>
  wrapStore(store, (send) => (request) => {
    if (!('script' in request) || !request.script.includes.has('clock')) return send(request);
    const source = request.script.source.replace(clockLua, () => movedClockLua);
    const sha = createHash('sha1').update(source).digest('hex');
    return send({ ...request, script: { ...request.script, source, sha }, args: [...request.args, offsetMs()] });
  });
