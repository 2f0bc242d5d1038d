/**
 * A local copy of the directory that keeps itself up to date. The event stream tells of new and removed bots at once; the list, asked
 * for by its ETag, is the truth: whatever the stream has missed, the next comparison mends.
 */
import type { Client } from './client.ts';
import { isKnownEvent } from './event-stream.ts';
import { sleep } from './limited.ts';
import { type BotChange, changeBetween, emptyCopy, withEvent, withList } from './mirror/bot-copy.ts';
import { keepSnapshots, readSnapshot, type SnapshotStore } from './mirror/snapshot.ts';
import type { Bot, DirectoryEvent } from './types.gen.ts';

export type { BotChange } from './mirror/bot-copy.ts';
export type { Snapshot, SnapshotStore } from './mirror/snapshot.ts';

/** Options of a mirror. */
export interface MirrorOptions {
  /**
   * Between two comparisons with the list, give or take a tenth. What changes without an event, as install counts do, is
   * at most this old.
   * @default 60_000
   */
  refreshMs?: number | undefined;
  /**
   * Keeps the copy between runs.
   * @default nothing is kept
   */
  store?: SnapshotStore | undefined;
  /**
   * Told what went wrong: a comparison, the stream, the store, or a listener that threw. The mirror goes on.
   * @default nobody is told
   */
  onError?: ((error: unknown) => void) | undefined;
}

/** A copy of the directory. Reading it never waits. */
export interface Mirror extends Iterable<Bot> {
  /** Resolves when there is a copy: the saved one, or the first from the server. Rejects when closed before that. */
  readonly ready: Promise<void>;
  /** How many bots there are. */
  readonly size: number;
  /** When the copy was last compared with the server's list, by this machine's clock; undefined before the first time. */
  readonly comparedAtMs: number | undefined;
  /** The bot of this slug. */
  get(slug: string): Bot | undefined;
  /** The bots that pass, newest first. */
  filter(predicate: (bot: Bot) => boolean): Bot[];
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: (change: BotChange) => void): () => void;
  /** Compares with the server's list now. Resolves when that is done; rejects as the call does. */
  refresh(): Promise<void>;
  /** Ends the stream and the comparisons; resolves when the last save is done. */
  close(): Promise<void>;
}

/**
 * Starts a mirror of what `directory` reads.
 * @example
 * const bots = mirror(directory);
 * await bots.ready;
 * bots.onChange(({ added }) => console.log(added.map((bot) => bot.name)));
 * console.log(bots.get('weekly-seo-report')?.name, bots.filter((bot) => bot.categories.includes('SEO')).length);
 * await bots.close();
 */
export const mirror = (directory: Client, options: MirrorOptions = {}): Mirror => {
  const { refreshMs = 60_000, store } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const report = (error: unknown) => {
    if (!signal.aborted) options.onError?.(error);
  };
  const state = makeState(report);
  const snapshots = keepSnapshots(store, report);

  const compare = async (): Promise<void> => {
    const { base, events } = state.copy;
    const headers: Record<string, string> = base.etag === undefined ? {} : { 'if-none-match': base.etag };
    const outcome = await directory.bots.list({}, { headers, signal }).safe();
    if (!outcome.ok && outcome.status !== 304) throw outcome.error;
    const found = outcome.ok ? { bots: outcome.data, etag: outcome.response.headers.get('etag') ?? undefined } : base;
    state.show(withList(state.copy, found, events.length));
    state.comparedAtMs = Date.now();
    if (outcome.ok) snapshots.save(found);
  };
  const refresh = oneAtATime(compare);
  const refreshSoon = () => void refresh().catch(report);

  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      await refresh().catch(report);
      await sleep(refreshMs * (0.9 + Math.random() / 5), signal);
    }
  };

  const run = async (): Promise<void> => {
    const snapshot = await readSnapshot(store, report);
    if (snapshot !== undefined && !signal.aborted) state.show(withList(state.copy, snapshot, 0));
    const onEvent = (event: DirectoryEvent) => state.show(withEvent(state.copy, event));
    await Promise.all([poll(), follow(directory, { signal, refreshMs, onEvent, refreshSoon, report })]);
  };
  const ended = run();

  return {
    ready: state.ready,
    get size() {
      return state.copy.bots.size;
    },
    get comparedAtMs() {
      return state.comparedAtMs;
    },
    get: (slug) => state.copy.bots.get(slug),
    filter: (predicate) => [...state.copy.bots.values()].filter(predicate),
    onChange: state.onChange,
    refresh,
    close: async () => {
      stop.abort();
      state.end();
      await ended;
      await snapshots.saved();
    },
    [Symbol.iterator]: () => state.copy.bots.values(),
  };
};

interface Following {
  signal: AbortSignal;
  refreshMs: number;
  onEvent: (event: DirectoryEvent) => void;
  refreshSoon: () => void;
  report: (error: unknown) => void;
}

/** Follows the stream, from the present, until the signal ends it. */
const follow = async (directory: Client, { signal, refreshMs, ...tell }: Following): Promise<void> => {
  while (!signal.aborted) {
    const stream = { opened: false };
    // What was published before the connection opened is in the list by then, and what comes later is in the stream.
    const onResponse = ({ response }: { response: Response }) => {
      if (!response.ok) return;
      stream.opened = true;
      tell.refreshSoon();
    };
    try {
      for await (const event of directory.events.stream({}, { signal, unknownTypes: true, hooks: { onResponse } })) {
        if (isKnownEvent(event)) tell.onEvent(event);
        // Only these types say all that has changed; for any other, the list does.
        if (event.type !== 'bot.created' && event.type !== 'bot.removed') tell.refreshSoon();
      }
    } catch (error) {
      tell.report(error);
    }
    // It ends where a new connection can't resume it, as when the log was rewound: it begins anew, from the present.
    await sleep(stream.opened ? Math.random() * 1_000 : refreshMs, signal);
  }
};

/** What is held now, and who is told when it changes. */
const makeState = (report: (error: unknown) => void) => {
  const listeners = new Set<(change: BotChange) => void>();
  const first = new AbortController();
  let end = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    first.signal.addEventListener('abort', () => resolve(), { once: true });
    end = () => reject(new Error('the mirror was closed before it had a copy'));
  });
  ready.catch(() => {});
  const state = {
    copy: emptyCopy,
    comparedAtMs: undefined as number | undefined,
    ready,
    end: () => {
      listeners.clear();
      end();
    },
    show: (next: typeof emptyCopy) => {
      const change = changeBetween(state.copy, next);
      state.copy = next;
      first.abort();
      if (change === undefined) return;
      for (const listener of listeners) {
        try {
          listener(change);
        } catch (error) {
          report(error);
        }
      }
    },
    onChange: (listener: (change: BotChange) => void) => {
      const own = (change: BotChange) => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
  return state;
};

/** Runs one after another. Whoever asks while one runs gets the next, which all who wait share: it sees what they saw. */
const oneAtATime = (run: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<unknown> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    waiting ??= running.then(() => {
      waiting = undefined;
      const result = run();
      running = result.catch(() => {});
      return result;
    });
    return waiting;
  };
};
