/** Events: their envelopes, as the bytes that are sent; who wants them; and the newest of the log, in memory. */
import { defaultEventTypes } from '@bot-directory/contract';
import type { Bot, DirectoryEvent, EventMap, LoggedEventType } from '@bot-directory/contract';
import { countLeading } from '../base/binary-search.ts';
import { timestamp } from '../base/time.ts';
import type { EventId } from '../base/ids.ts';
import type { FormerNames } from './names.ts';
import { type BotDraft, botFromHash, draftedBot } from './bot.ts';
import {
  factsFromTraces,
  ListedBotFacts,
  tracesOf,
  wants,
  type EventFacts,
  type Subscription,
} from './subscription.ts';

/** The envelope of a ping. */
export const pingEnvelope = (id: EventId, nowMs: number): EventMap['ping'] => ({
  id,
  type: 'ping',
  created_at: timestamp(nowMs),
  data: {},
});

/**
 * An event without the parts that the publishing script decides. In its envelope, placeholders stand for the time and,
 * in that of a new bot, for the slug: see `lua/include/event.lua`. `traces`: those of the bot, if the envelope does not
 * have it.
 */
export type EventDraft = {
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly envelope: string;
  readonly traces?: string;
};

type EventContent = {
  [Event in DirectoryEvent as Event['type']]: Pick<Event, 'type' | 'data'>;
}[DirectoryEvent['type']];

/** Drafts an event. `contentOf` gets the placeholders. The event's id is new, so no text of a bot can contain them. */
export const draftEvent = (
  id: EventId,
  contentOf: (placeholders: { readonly slug: string; readonly time: string }) => EventContent,
): EventDraft => {
  const [slug, time] = [`slug_of_${id}`, `time_of_${id}`];
  const { type, data } = contentOf({ slug, time });
  return { id, type, envelope: JSON.stringify({ id, type, created_at: time, data }) };
};

/** The `bot.updated` event of a bot whose hash is now this. */
export const botUpdated = (id: EventId, hash: ReadonlyMap<string, string>, baseUrl: string): EventDraft =>
  draftEvent(id, () => ({ type: 'bot.updated', data: botFromHash(hash, baseUrl).bot }));

/** The `bot.removed` event of a bot whose hash is this. `reason`: null if it is only hidden. */
export const botRemoved = (
  id: EventId,
  hash: ReadonlyMap<string, string>,
  { reason, baseUrl }: { readonly reason: string | null; readonly baseUrl: string },
): EventDraft => {
  const { bot } = botFromHash(hash, baseUrl);
  const data = { id: bot.id, slug: bot.slug, reason };
  return { ...draftEvent(id, () => ({ type: 'bot.removed', data })), traces: tracesOf(bot) };
};

/** The `bot.restored` event of a bot whose hash is now this. */
export const botRestored = (id: EventId, hash: ReadonlyMap<string, string>, baseUrl: string): EventDraft =>
  draftEvent(id, () => ({ type: 'bot.restored', data: botFromHash(hash, baseUrl).bot }));

/** The `bot.created` event of a draft. */
export const botCreated = (id: EventId, draft: BotDraft, baseUrl: string): EventDraft =>
  draftEvent(id, ({ slug, time }) => ({
    type: 'bot.created',
    data: { ...draftedBot(draft, { slug, createdAtMs: 0 }, baseUrl), created_at: time },
  }));

/**
 * An event of the log. `body` is the envelope that is sent; `publishedAtMs` is by the store's clock. `traces`: those of
 * the bot, if the envelope does not have it.
 */
export type LoggedEvent = {
  readonly number: number;
  readonly id: EventId;
  readonly type: LoggedEventType;
  readonly publishedAtMs: number;
  readonly body: Buffer;
  /** Whether the earlier envelopes of this bot have the bot of this one now. */
  readonly rewrites?: boolean;
  readonly traces?: string;
  /** Those that this process knows of. */
  readonly former?: FormerNames;
};

/** What an envelope says before its data. Neither an id, nor a type, nor a time contains it. */
const dataMark = Buffer.from('"data":');

/** The bot that an event is about. Its id comes first in the data. */
const botOf = ({ body }: LoggedEvent): string => {
  const start = body.indexOf(dataMark) + dataMark.length + '{"id":"'.length;
  return body.toString('latin1', start, body.indexOf('"', start));
};

/** An event of the log as a later one of the same bot leaves it; undefined if that took it away. */
const leftBy = (later: LoggedEvent, event: LoggedEvent | undefined): LoggedEvent | undefined => {
  if (event === undefined || event.type === 'bot.removed' || event.number >= later.number) return event;
  if (later.type === 'bot.removed') return undefined;
  const { body, ...rest } = event;
  const end = body.indexOf(dataMark);
  return { ...rest, body: Buffer.concat([body.subarray(0, end), later.body.subarray(later.body.indexOf(dataMark))]) };
};

/** Whether webhooks without a subscription of their own are sent events of a type. */
export const isDeliveredType = (type: LoggedEventType): boolean => defaultEventTypes.includes(type);

/** Kept, because many webhooks and readers examine an event. */
const knownFacts = new WeakMap<LoggedEvent, EventFacts>();

/** What subscriptions see of an event. */
export const factsOf = (event: LoggedEvent): EventFacts => {
  const known = knownFacts.get(event);
  if (known !== undefined) return known;
  const { type, body, traces = '', former } = event;
  const bot =
    type === 'bot.removed'
      ? factsFromTraces(traces, former)
      : new ListedBotFacts((JSON.parse(body.toString()) as { readonly data: Bot }).data, former);
  const facts = { type, bot };
  knownFacts.set(event, facts);
  return facts;
};

/** Whether an event is for someone with this subscription. */
export const isWanted = (event: LoggedEvent, subscription: Subscription | undefined): boolean =>
  subscription === undefined ? isDeliveredType(event.type) : wants(subscription, factsOf(event));

/** The most events that are remembered. */
const most = 2_000;

/** The newest events of the log in memory: all after some number, ascending, found by number. */
export class RecentEvents {
  /** The number of the last event, and of the last one of a delivered type, as far as known. */
  head: number;
  deliveredHead: number;
  /** Counts the changes of earlier events. */
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
    const changes = events.filter(({ type, rewrites }) => type === 'bot.removed' || rewrites);
    if (changes.length > 0) this.#change(changes);
    if (this.#events.length <= most) return;
    const dropped = this.#events.splice(0, this.#events.length - most);
    this.#from = dropped.at(-1)?.number ?? this.#from;
  }

  /** Changes the earlier events of bots as the log has been changed: see `lua/include/texts.lua`. */
  #change(changes: readonly LoggedEvent[]): void {
    this.changes += 1;
    const ofBots = new Map<string, LoggedEvent[]>();
    for (const event of changes) ofBots.set(botOf(event), [...(ofBots.get(botOf(event)) ?? []), event]);
    this.#events = this.#events.flatMap((event) => {
      const later = ofBots.get(botOf(event)) ?? [];
      return later.reduce<LoggedEvent | undefined>((left, one) => leftBy(one, left), event) ?? [];
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
