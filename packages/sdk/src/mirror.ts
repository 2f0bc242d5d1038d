/**
 * A local copy of the directory that keeps itself up to date. The event stream reports new and removed bots at once.
 * The list is the truth: it is requested with its ETag, and each comparison corrects what the stream missed (decision
 * 0036).
 */
import type { Bot, Client, DirectoryEvent } from '@bot-directory/sdk';
import { isKnownEvent } from './event-stream.ts';
import { sleep } from './limited.ts';
import type { OwnCallOptions, ReadBody } from './settings.ts';
import { type BotChange, changeBetween, emptyCopy, withEvent, withList } from './mirror/bot-copy.ts';
import { keepSnapshots, readSnapshot, type SnapshotStore } from './mirror/snapshot.ts';

export type { BotChange } from './mirror/bot-copy.ts';
export type { Snapshot, SnapshotStore } from './mirror/snapshot.ts';

/** Options of a mirror. */
export interface MirrorOptions {
  /**
   * Milliseconds between two comparisons with the list, varied by up to a tenth. Changes without an event, such as
   * install counts, are at most this old.
   * @default 60_000
   */
  refreshMs?: number | undefined;
  /**
   * Saves the copy between runs.
   * @default the copy is not saved
   */
  store?: SnapshotStore | undefined;
  /**
   * Called when a comparison, the stream, the store or a listener fails. The mirror continues.
   * @default errors are ignored
   */
  onError?: ((error: unknown) => void) | undefined;
}

/** A local copy of the directory. Reading it never waits. */
export interface Mirror extends Iterable<Bot> {
  /**
   * Resolves when there is a copy: the saved one, or the first from the server. Rejects if the mirror is closed before
   * that.
   */
  readonly ready: Promise<void>;
  /** The number of bots. */
  readonly size: number;
  /**
   * When the copy was last compared with the server's list, by this machine's clock; undefined before the first
   * comparison.
   */
  readonly comparedAtMs: number | undefined;
  /** Returns the bot with this slug. */
  get(slug: string): Bot | undefined;
  /** Returns the bots that match, newest first. */
  filter(predicate: (bot: Bot) => boolean): Bot[];
  /** Calls the listener after each change. Returns a function that removes it. */
  onChange(listener: (change: BotChange) => void): () => void;
  /** Compares with the server's list now. Resolves when done; rejects if the call fails. */
  refresh(): Promise<void>;
  /** Ends the stream and the comparisons. Resolves when the last save is done. */
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
    const options: OwnCallOptions = { headers, signal, readBody };
    const outcome = await directory.bots.list({}, options).safe();
    // A 304 that was not asked for says nothing about the list.
    if (!outcome.ok && (outcome.status !== 304 || base.etag === undefined)) throw outcome.error;
    const found = outcome.ok ? { bots: outcome.data, etag: outcome.response.headers.get('etag') ?? undefined } : base;
    state.show(withList(state.copy, found, events.length));
    state.complete();
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
    if (snapshot !== undefined && !signal.aborted) {
      state.show(withList(state.copy, snapshot, 0));
      state.complete();
    }
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

/** Reads a list for as long as it keeps coming, however large it is and however slow the network. */
const readBody: ReadBody = async (response, inTime) => {
  // A `fetch` from a library may return another kind of stream, or none.
  const body = response.body as Partial<ReadableStream<Uint8Array>> | null | undefined;
  const reader = body?.getReader?.();
  if (reader === undefined) return inTime(() => response.text());
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await inTime(() => reader.read());
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
};

interface Following {
  signal: AbortSignal;
  refreshMs: number;
  onEvent: (event: DirectoryEvent) => void;
  refreshSoon: () => void;
  report: (error: unknown) => void;
}

/** Follows the stream from now on, until the signal ends it. */
const follow = async (directory: Client, { signal, refreshMs, ...handlers }: Following): Promise<void> => {
  while (!signal.aborted) {
    const stream = { opened: false, isBehind: false };
    const onGap = () => void (stream.isBehind = true);
    // The list has what was published before the connection opened; the stream has what comes later.
    const onResponse = ({ response }: { response: Response }) => {
      if (!response.ok) return;
      stream.opened = true;
      handlers.refreshSoon();
    };
    try {
      const options = { signal, unknownTypes: true, onGap, hooks: { onResponse } };
      for await (const event of directory.events.stream({}, options)) {
        // The list is shorter than the log, and newer.
        if (stream.isBehind) break;
        if (isKnownEvent(event)) handlers.onEvent(event);
        // Only these types say everything that changed; after any other, the list is compared.
        if (event.type !== 'bot.created' && event.type !== 'bot.removed') handlers.refreshSoon();
      }
    } catch (error) {
      handlers.report(error);
    }
    // When a connection cannot resume the stream, as after the log was rewound, another one starts from now.
    await sleep(stream.opened ? Math.random() * 1_000 : refreshMs, signal);
  }
};

/** Makes the state: the current copy, and the listeners that are called when it changes. */
const makeState = (report: (error: unknown) => void) => {
  const listeners = new Set<(change: BotChange) => void>();
  let complete = () => {};
  let end = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    complete = resolve;
    end = () => reject(new Error('the mirror was closed before it had a copy'));
  });
  ready.catch(() => {});
  const state = {
    copy: emptyCopy,
    comparedAtMs: undefined as number | undefined,
    ready,
    /** Called once there is a whole copy. Events that come before the first list do not make one. */
    complete: () => complete(),
    end: () => {
      listeners.clear();
      end();
    },
    show: (next: typeof emptyCopy) => {
      const change = changeBetween(state.copy, next);
      state.copy = next;
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

/** Runs one at a time. Calls made during a run share the next one, which sees all that they saw. */
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
