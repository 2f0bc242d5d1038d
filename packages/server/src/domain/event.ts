/**
 * Events: entries of the log, which name the bot that they are about; their envelopes, made from that bot as it was
 * when they were read; who wants them; and the newest of the log, in memory.
 */
import { defaultEventTypes, type EventMap, type LoggedEventType } from '@bot-directory/contract';
import { countLeading } from '../base/binary-search.ts';
import { timestamp } from '../base/time.ts';
import type { BotId, EventId } from '../base/ids.ts';
import type { FormerNames } from './names.ts';
import { botFromHash, type BotForm, type StoredBot } from './bot.ts';
import { BotFacts, wants, type EventFacts, type Subscription } from './subscription.ts';

/** The envelope of a ping. */
export const pingEnvelope = (id: EventId, nowMs: number): EventMap['ping'] => ({
  id,
  type: 'ping',
  created_at: timestamp(nowMs),
  data: {},
});

/** A bot as it was when events about it were read: one for all of them. */
export class LoggedBot {
  readonly id: BotId;
  /** Whether it is listed. Only then do its events but the removal have it. */
  readonly isListed: boolean;
  /** About how much memory it takes. */
  readonly heldBytes: number;
  readonly #slug: string;
  /** None if it was removed: nothing is left of it. */
  readonly #stored: StoredBot | undefined;
  readonly #former: FormerNames | undefined;
  #json: string | undefined;
  #facts: BotFacts | undefined;

  /** `hash`: its hash in the store. */
  constructor(id: BotId, hash: ReadonlyMap<string, string>, form: BotForm) {
    const slug = hash.get('slug') ?? '';
    const state = hash.get('state');
    this.id = id;
    this.isListed = slug !== '' && state === undefined;
    this.heldBytes = [...hash.values()].reduce((sum, text) => sum + 2 * text.length, 0);
    this.#slug = slug;
    this.#stored = slug === '' || state === 'removed' ? undefined : botFromHash(hash, form);
    this.#former = form.former;
  }

  /** The data of an event. `reason`: that of a removal. */
  dataOf({ type, reason }: Pick<LogEntry, 'type' | 'reason'>): string {
    if (type === 'bot.removed') return JSON.stringify({ id: this.id, slug: this.#slug, reason });
    return (this.#json ??= JSON.stringify(this.#stored?.bot));
  }

  /** What it has beyond its JSON; undefined if nothing is left. */
  get unshown(): Pick<StoredBot, 'updatedAtMs' | 'templateId'> | undefined {
    return this.#stored;
  }

  /** What filters see of it; undefined if nothing is left. */
  get facts(): BotFacts | undefined {
    if (this.#stored === undefined) return undefined;
    return (this.#facts ??= new BotFacts(this.#stored.bot, this.#former));
  }
}

/** An entry of the log. `publishedAtMs` is by the store's clock; `reason`: that of a removal, if it shows one. */
export type LogEntry = {
  readonly number: number;
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly publishedAtMs: number;
  readonly bot: BotId;
  readonly reason: string | null;
};

/** An event of the log: its entry, and the bot that it is about, as it was when they were read. */
export class LoggedEvent {
  readonly number: number;
  readonly id: EventId;
  readonly type: LoggedEventType;
  #body: Buffer | undefined;

  constructor(
    readonly entry: LogEntry,
    readonly bot: LoggedBot,
  ) {
    [this.number, this.id, this.type] = [entry.number, entry.id, entry.type];
  }

  /** Whether it is true of the bot: a removal while that is not listed, any other event while it is. */
  get isTrue(): boolean {
    return this.bot.isListed !== (this.type === 'bot.removed');
  }

  /** The envelope that is sent. */
  get body(): Buffer {
    if (this.#body !== undefined) return this.#body;
    const { id, type, publishedAtMs } = this.entry;
    const head = `{"id":"${id}","type":"${type}","created_at":"${timestamp(publishedAtMs)}","data":`;
    return (this.#body = Buffer.from(`${head}${this.bot.dataOf(this.entry)}}`));
  }

  /** What subscriptions see of it. */
  get facts(): EventFacts {
    return { type: this.type, bot: this.bot.facts };
  }
}

/** Whether webhooks without a subscription of their own are sent events of a type. */
const isDeliveredType = (type: LoggedEventType): boolean => defaultEventTypes.includes(type);

/** Whether an event is true, and for a webhook with this subscription. */
export const isWanted = (event: LoggedEvent, subscription: Subscription | undefined): boolean =>
  event.isTrue && (subscription === undefined ? isDeliveredType(event.type) : wants(subscription, event.facts));

/** The most events that are remembered. */
const most = 2_000;

/** The newest events of the log in memory: all after some number, ascending, found by number. */
export class RecentEvents {
  /** The number of the last event, and of the last one of a delivered type, as far as known. */
  head: number;
  deliveredHead: number;
  /** Counts the times that the bots of earlier events changed. */
  changes = 0;
  #from: number;
  #events: LoggedEvent[] = [];

  /** Makes a memory that begins after this number. */
  constructor(head: number) {
    this.head = head;
    this.deliveredHead = head;
    this.#from = head;
  }

  /** Adds events that follow the existing ones. */
  append(events: readonly LoggedEvent[]): void {
    this.#events.push(...events);
    this.head = events.at(-1)?.number ?? this.head;
    this.deliveredHead = events.findLast(({ type }) => isDeliveredType(type))?.number ?? this.deliveredHead;
    this.#renew(events);
    if (this.#events.length <= most) return;
    const dropped = this.#events.splice(0, this.#events.length - most);
    this.#from = dropped.at(-1)?.number ?? this.#from;
  }

  /** Gives the earlier events of bots that changed the bot as it is now. */
  #renew(events: readonly LoggedEvent[]): void {
    const changed = new Map(events.flatMap(({ type, bot }) => (type === 'bot.created' ? [] : [[bot.id, bot]])));
    if (changed.size === 0) return;
    this.changes += 1;
    this.#events = this.#events.map((event) => {
      const bot = changed.get(event.bot.id);
      return bot === undefined || bot === event.bot ? event : new LoggedEvent(event.entry, bot);
    });
  }

  /** Records that up to this number there are no other events. */
  skipTo(head: number): void {
    this.head = Math.max(this.head, head);
  }

  /** Drops events that the log no longer has. */
  forgetBefore(number: number): void {
    this.#events.splice(0, this.#indexAfter(number - 1));
  }

  /** Up to `count` events after a number; undefined if it does not have all of them. */
  after(number: number, count: number): readonly LoggedEvent[] | undefined {
    if (number < this.#from) return undefined;
    const start = this.#indexAfter(number);
    return this.#events.slice(start, start + count);
  }

  /** The index of the first event after a number. */
  #indexAfter(number: number): number {
    return countLeading(this.#events.length, (index) => (this.#events[index]?.number ?? 0) <= number);
  }
}
