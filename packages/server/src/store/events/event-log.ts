/**
 * The event log: numbered entries, each read together with the bot that it is about, the newest of them in memory.
 * Numbers rise, with gaps. One blocking connection per process, the watcher, wakes when the log grows; the new entries
 * and the epoch are read over the main connection. While nobody wants events, only its head is followed, at most 20
 * times a second.
 */
import type { LoggedEventType } from '@bot-directory/contract';
import { sharedByKey } from '../../base/limiter.ts';
import { Notifier } from '../../base/notifier.ts';
import { reasonOf, StoreUnreachable } from '../../base/failure.ts';
import { eventIdAtMs, firstEventIdAt, type BotId, type EventId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { shownHashFields, type BotForm } from '../../domain/bot.ts';
import { LoggedBot, LoggedEvent, RecentEvents, type LogEntry } from '../../domain/event.ts';
import { keys } from '../keys.ts';
import { toMap, type RedisClient, type Store } from '../../redis/redis.ts';

type Entry = [entryId: string, fields: string[]];
type Reply = [
  epoch: string,
  head: string,
  entries: Entry[],
  time: string,
  isKnown: number,
  registered: string,
  bots: [id: BotId, values: (string | null)[]][],
];

/** How long events can be caught up with: much longer than an active webhook can be behind. */
const retentionMs = 30 * 86_400_000;
/** The most events that are kept. */
const maxEvents = 1_000_000;
/** Upper bound on the clock skew between ids and the order of the log. */
const slackMs = 60_000;
const blockMs = 1_000;
/** How many events are read at once, unless the caller says. */
export const pageSize = 100;
const retryMs = 250;
/** The pause after each poll of the log while nobody waits for events, and how long a reader counts after it waited. */
const pauseMs = 50;
const readerMs = 1_000;
/** A single lost connection is normal, and expected while the store is away: only repeated silence is logged. */
const silentAfter = 3;

/** Follows the log between `start()` and `stop()`. */
export class EventLog {
  readonly #store: Store;
  readonly #log: Log;
  readonly #form: BotForm;
  /** Differs once a webhook was registered or resumed before the last event. */
  registrations = '';
  #recent = new RecentEvents(0);
  /** The epoch and the connection for which `#recent` is valid. */
  #epoch: string | undefined;
  #connection = -1;
  #waiting = new Set<() => void>();
  #onGrowth: () => void = () => undefined;
  #isWantedByListener: () => boolean = () => false;
  readonly #share = sharedByKey<readonly LoggedEvent[]>();
  /** Ends a pause. */
  readonly #pause = new Notifier();
  #readUntilMs = -Infinity;
  #watcher: RedisClient | undefined;
  /** The store's connection when the watcher was connected: a watcher of a former primary never wakes. */
  #watcherConnection = -1;
  #abandon: () => void = () => undefined;
  #silences = 0;
  #following: Promise<void> | undefined;
  #stopped = false;

  constructor(store: Store, log: Log, form: BotForm) {
    this.#store = store;
    this.#log = log;
    this.#form = form;
  }

  /** The number of the last event; 0 if there are none. */
  get head(): number {
    return this.#recent.head;
  }

  /** The number of the last event of a delivered type, as far as known. */
  get deliveredHead(): number {
    return this.#recent.deliveredHead;
  }

  /** Differs once the bots of events that were read before may have changed. */
  get changes(): string {
    return `${this.#epoch}.${this.#recent.changes}`;
  }

  /** Starts to follow the log. Does nothing if it already does. */
  start(): void {
    this.#following ??= this.#follow();
  }

  /** Calls back whenever the log may have grown. There is one listener: the engine. `isWanted`: by a webhook. */
  onGrowth(listener: () => void, isWanted: () => boolean): void {
    this.#onGrowth = listener;
    this.#isWantedByListener = isWanted;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#abandon();
    this.#pause.notify();
    this.#wake();
    await this.#following;
  }

  /** Resolves when the log is longer than `number`, when `ms` have passed, or when `signal` is aborted. */
  async waitBeyond(number: number, ms: number, signal: AbortSignal): Promise<void> {
    this.#readUntilMs = performance.now() + ms + readerMs;
    this.#pause.notify();
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

  /** Up to `most` events after `number`, in order. After a start, all webhooks that are behind share one reading. */
  async after(number: number, most = pageSize): Promise<readonly LoggedEvent[]> {
    return this.remembered(number, most) ?? this.#share(`${number} ${most}`, () => this.read(number, most));
  }

  /** The same, if this process remembers them. */
  remembered(number: number, most = pageSize): readonly LoggedEvent[] | undefined {
    if (number >= this.head && this.#epoch !== undefined) return [];
    return this.#isVerified() ? this.#recent.after(number, most) : undefined;
  }

  /** The same from the store itself; from the oldest kept event if those after `number` are gone. */
  async read(number: number, most: number): Promise<readonly LoggedEvent[]> {
    return (await this.#ask(number, most)).events;
  }

  /**
   * Returns the number after which a reader with this last event continues. If the event was lost in a rewind, it is
   * that of an event up to a minute earlier, so that nothing is missed. `undefined` if the log does not reach back to
   * it, or it never existed.
   */
  async positionOf(id: string): Promise<number | undefined> {
    const atMs = eventIdAtMs(id);
    if (atMs === undefined) return undefined;
    const args = [id, atMs, firstEventIdAt(atMs - slackMs), slackMs, retentionMs];
    const number = (await this.#store.script('find-position', [keys.eventIds], args)) as string;
    return number === '' ? undefined : Number(number);
  }

  /** The last entry, from the store itself. */
  async last(): Promise<LogEntry | undefined> {
    const [entry] = await this.#store.call((redis) => redis.xrevrange(keys.events, '+', '-', 'COUNT', 1));
    return entry === undefined ? undefined : toEntry(entry);
  }

  /**
   * Deletes events that are too old or too many, in the store and in memory. Those after `lowestCursor` are not too
   * old: an active webhook waits for them, and the store's clock may be wrong. Any process may call it at any time.
   * Returns the oldest event left.
   */
  async trim(lowestCursor: number, most = maxEvents): Promise<LoggedEvent | undefined> {
    const args = [retentionMs, pageSize, most, lowestCursor];
    while ((await this.#store.script('trim-log', [keys.events, keys.eventIds], args)) === 1);
    // Taken before the store is asked: an event published after that is not gone.
    const { head } = this;
    const [oldest] = await this.read(0, 1);
    this.#recent.forgetBefore(oldest?.number ?? head + 1);
    return oldest;
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      try {
        if (await this.#look()) continue;
        if (!this.#isWanted()) await this.#pause.sleep(pauseMs);
        await this.#untilGrown();
        this.#silences = 0;
      } catch (error) {
        if ((this.#silences += 1) === silentAfter)
          this.#log.warn({ reason: reasonOf(error) }, 'the event log cannot be followed; polling it instead');
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
    this.#dropWatcher();
  }

  #isWanted(): boolean {
    return this.#isWantedByListener() || performance.now() < this.#readUntilMs;
  }

  #dropWatcher(): void {
    this.#watcher?.disconnect();
    this.#watcher = undefined;
  }

  /** Reads what was added to the log. Returns whether there may be more. */
  async #look(): Promise<boolean> {
    const connection = this.#store.connection();
    const known = this.#epoch === undefined || !this.#isWanted() ? Number.MAX_SAFE_INTEGER : this.head;
    const { epoch, head, events, isKnown, registered } = await this.#ask(known, pageSize).catch((error: unknown) => {
      // Nothing can wake it while the store is away, and that is logged elsewhere.
      this.#silences = 0;
      throw error;
    });
    this.#connection = connection;
    this.registrations = `${epoch}.${registered}`;
    if (epoch !== this.#epoch || !isKnown) {
      // The first read, or nobody wants events; or the store may have lost something, and this memory may be wrong.
      this.#epoch = epoch;
      this.#recent = new RecentEvents(head);
      this.#wake();
      return false;
    }
    if (events.length > 0) this.#recent.append(events);
    else this.#recent.skipTo(head);
    if (events.length > 0) this.#wake();
    return events.length === pageSize;
  }

  async #ask(number: number, most: number) {
    const args = [number, most, ...shownHashFields];
    const reply = await this.#store.script('read-events', [keys.state, keys.events, keys.eventIds], args);
    const [epoch, head, entries, time, isKnown, registered, bots] = reply as Reply;
    this.#store.known.see(epoch, Number(head));
    this.#store.clock.see(Number(time));
    return {
      epoch,
      head: Number(head),
      events: this.#toEvents(entries.map(toEntry), bots),
      isKnown: isKnown === 1,
      registered,
    };
  }

  #toEvents(entries: readonly LogEntry[], bots: Reply[6]): LoggedEvent[] {
    const byId = new Map(bots.map(([id, values]) => [id, new LoggedBot(id, hashOf(values), this.#form)]));
    const bot = (id: BotId): LoggedBot => byId.get(id) ?? new LoggedBot(id, new Map(), this.#form);
    return entries.map((entry) => new LoggedEvent(entry, bot(entry.bot)));
  }

  /** Waits for an event after the head, at most `blockMs`. A connection that hangs is replaced. */
  async #untilGrown(): Promise<void> {
    if (this.#stopped) return;
    if (this.#watcherConnection !== this.#connection) this.#dropWatcher();
    const watcher = (this.#watcher ??= openQuietly(this.#store));
    this.#watcherConnection = this.#connection;
    // A command on a lost connection never gets a reply, not even when the connection ends.
    const abandoned = new Promise<never>((_, reject) => {
      this.#abandon = () => {
        reject(new StoreUnreachable('no connection that waits for events'));
      };
    });
    const timer = setTimeout(this.#abandon, 2 * blockMs);
    try {
      await Promise.race([
        watcher.xread('COUNT', 1, 'BLOCK', blockMs, 'STREAMS', keys.events, `${this.head}-0`),
        abandoned,
      ]);
    } catch (error) {
      this.#dropWatcher();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether the log was read since the store's connection was made: another server may not have what we remember. */
  #isVerified(): boolean {
    return this.#connection === this.#store.connection();
  }

  #wake(): void {
    this.#onGrowth();
    for (const done of [...this.#waiting]) done();
  }
}

/** Its errors appear in the commands; the store's own connection logs them. */
const openQuietly = (store: Store): RedisClient => store.dedicated().on('error', () => undefined);

/** The fields of a bot that it has. */
const hashOf = (values: readonly (string | null)[]): ReadonlyMap<string, string> => {
  const hash = new Map<string, string>();
  for (const [i, name] of shownHashFields.entries()) {
    const value = values[i];
    if (typeof value === 'string') hash.set(name, value);
  }
  return hash;
};

const toEntry = ([entryId, flat]: Entry): LogEntry => {
  const fields = toMap(flat);
  const text = (name: string): string => fields.get(name) ?? '';
  return {
    number: Number(entryId.split('-', 1)[0]),
    id: text('id') as EventId,
    type: text('type') as LoggedEventType,
    publishedAtMs: Number(text('at')),
    bot: text('bot') as BotId,
    reason: fields.get('reason') ?? null,
  };
};
