/**
 * The event log: numbered envelopes as bytes, the newest of them in memory. One blocking connection a process follows
 * it, so that a publish is known at once; a poll covers whatever that connection misses.
 */
import type { LoggedEventType } from '@bot-directory/contract';
import { StoreUnreachable } from '../base/failure.ts';
import type { EventId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { keys } from './keys.ts';
import type { RedisClient, Store } from './redis.ts';

/** An event of the log. `body` is the envelope that is sent. */
export type LoggedEvent = {
  readonly number: number;
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly body: Buffer;
};

type Entry = [entryId: string, fields: string[]];

const blockMs = 1_000;
const keptInMemory = 2_000;
const pageSize = 100;
const retryMs = 250;

/** Follows the log between `start()` and `stop()`. */
export class EventLog {
  /** The number of the last event; 0 when there is none. */
  head = 0;
  readonly #store: Store;
  readonly #log: Log;
  /** The newest events, ascending without a gap. */
  #recent: LoggedEvent[] = [];
  #epoch: string | null = null;
  #waiting = new Set<() => void>();
  #onGrowth: () => void = () => undefined;
  #connection: RedisClient | undefined;
  #abandon: () => void = () => undefined;
  #following: Promise<void> | undefined;
  #stopped = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Begins to follow the log. Does nothing when it follows already. */
  start(): void {
    this.#following ??= this.#follow();
  }

  /** Calls back whenever the log may have grown. One listener: the engine. */
  onGrowth(listener: () => void): void {
    this.#onGrowth = listener;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#abandon();
    this.#wake();
    await this.#following;
  }

  /** Resolves when the log is longer than `number`, when `ms` have passed, or when `signal` is aborted. */
  async waitBeyond(number: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.head > number || this.#stopped || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  /** The event with this number, if it is in memory. */
  recent(number: number): LoggedEvent | undefined {
    return this.#recent[number - (this.#recent[0]?.number ?? 0)];
  }

  /** Up to `most` events after `number`, in order, as far as this process has followed the log. */
  async after(number: number, most = pageSize): Promise<readonly LoggedEvent[]> {
    const first = this.#recent[0]?.number;
    if (first !== undefined && number + 1 >= first)
      return this.#recent.slice(number + 1 - first, number + 1 - first + most);
    return this.read(number, most);
  }

  /** The same from the store itself; from the oldest event that is kept when those after `number` are gone. */
  async read(number: number, most: number): Promise<readonly LoggedEvent[]> {
    const entries = await this.#store.call((redis) => redis.xrange(keys.events, `${number + 1}-0`, '+', 'COUNT', most));
    return entries.map(toEvent);
  }

  /** The number of an event, if the log still has it. */
  async numberOf(id: EventId): Promise<number | undefined> {
    const score = await this.#store.call((redis) => redis.zscore(keys.eventIds, id));
    return score === null ? undefined : Number(score);
  }

  /** The last event, from the store itself. */
  async last(): Promise<LoggedEvent | undefined> {
    const [entry] = await this.#store.call((redis) => redis.xrevrange(keys.events, '+', '-', 'COUNT', 1));
    return entry === undefined ? undefined : toEvent(entry);
  }

  /** Forgets events that are older than `beforeMs`. Any process may do it at any time. */
  async trim(beforeMs: number): Promise<void> {
    for (;;) {
      const entries = await this.#store.call((redis) => redis.xrange(keys.events, '-', '+', 'COUNT', pageSize));
      const events = entries.map(toEvent);
      const old = events.findLast((event) => publishedAtMs(event) < beforeMs);
      if (old === undefined) return;
      await this.#store.call((redis) => redis.xtrim(keys.events, 'MINID', `${old.number + 1}-0`));
      await this.#store.call((redis) => redis.zremrangebyscore(keys.eventIds, '-inf', old.number));
      if (old !== events.at(-1)) return;
    }
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#look();
        this.#append(await this.#read());
      } catch (error) {
        this.#log.debug(
          { reason: error instanceof Error ? error.message : String(error) },
          'the event log can not be followed; trying again',
        );
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
    this.#connection?.disconnect();
  }

  /** Waits for events after the head, at most `blockMs`. A connection that hangs is replaced. */
  async #read(): Promise<readonly LoggedEvent[]> {
    if (this.#stopped) return [];
    const connection = (this.#connection ??= openQuietly(this.#store));
    // A command that waits for a lost connection is never answered, not even by its end.
    const abandoned = new Promise<never>((_, reject) => {
      this.#abandon = () => {
        reject(new StoreUnreachable('the event log is not being read'));
      };
    });
    const timer = setTimeout(this.#abandon, 3 * blockMs);
    try {
      const reply = await Promise.race([
        connection.xread('COUNT', pageSize, 'BLOCK', blockMs, 'STREAMS', keys.events, `${this.head}-0`),
        abandoned,
      ]);
      return (reply?.[0]?.[1] ?? []).map(toEvent);
    } catch (error) {
      connection.disconnect();
      this.#connection = undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Finds the head at the start, and after the store was emptied or replaced, where a blocked read would wait for ever. */
  async #look(): Promise<void> {
    const [events, epoch = null] = await this.#store.call((redis) => redis.hmget(keys.state, 'events', 'epoch'));
    const head = Number(events ?? 0);
    if (epoch === this.#epoch && head >= this.head) return;
    this.#epoch = epoch;
    this.#recent = [];
    this.head = head;
    this.#wake();
  }

  #append(events: readonly LoggedEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#recent = [...this.#recent, ...events].slice(-keptInMemory);
    this.head = last.number;
    this.#wake();
  }

  #wake(): void {
    this.#onGrowth();
    for (const done of [...this.#waiting]) done();
  }
}

/** Its faults show in the commands; the store's own connection reports them. */
const openQuietly = (store: Store): RedisClient => store.dedicated().on('error', () => undefined);

const toEvent = ([entryId, fields]: Entry): LoggedEvent => {
  const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
  return {
    number: Number(entryId.split('-', 1)[0]),
    id: field('id') as EventId,
    type: field('type') as LoggedEventType,
    body: Buffer.from(field('body')),
  };
};

/** When an event was published, by its envelope. */
export const publishedAtMs = ({ body }: LoggedEvent): number =>
  Date.parse((JSON.parse(body.toString()) as { created_at: string }).created_at);
