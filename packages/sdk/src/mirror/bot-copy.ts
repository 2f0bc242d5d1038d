/**
 * The bots that a mirror holds: the list as it was last compared, and over it the events since. Pure.
 *
 * A comparison takes time, and events may come while it is under way. Its list then has them or not, so they are applied
 * to it once more, in their order; a created bot that the list has already is left as the list shows it.
 */
import type { Bot, DirectoryEvent } from '../types.gen.ts';

/** What became different. */
export interface BotChange {
  /** Bots that were not there before. */
  added: Bot[];
  /** Bots that are there still, as they are now. */
  updated: Bot[];
  /** Bots that are there no longer, as they last were. */
  removed: Bot[];
}

/** Bots by id, newest first, and by slug. */
export interface BotCopy {
  /** The list that the server returned last, and its ETag. */
  readonly base: { readonly bots: readonly Bot[]; readonly etag: string | undefined };
  /** Events since that list was asked for. */
  readonly events: readonly DirectoryEvent[];
  /** What the two come to, newest first, by slug. */
  readonly bots: ReadonlyMap<string, Bot>;
}

/** Nothing yet. */
export const emptyCopy: BotCopy = { base: { bots: [], etag: undefined }, events: [], bots: new Map() };

/** The copy after an event. */
export const withEvent = (copy: BotCopy, event: DirectoryEvent): BotCopy => overlay(copy.base, [...copy.events, event]);

/**
 * The copy after a comparison that was asked for when there were `eventsBefore` events; `base` is the present one after a
 * 304. A bot that is the same as before stays the same object.
 */
export const withList = (copy: BotCopy, base: BotCopy['base'], eventsBefore: number): BotCopy => {
  const bots = base.bots.map((bot) => keep(copy.bots.get(bot.slug), bot));
  return overlay({ ...base, bots }, copy.events.slice(eventsBefore));
};

const overlay = (base: BotCopy['base'], events: BotCopy['events']): BotCopy => {
  const present = new Map(base.bots.map((bot) => [bot.slug, bot]));
  const newer = new Map<string, Bot>();
  const gone = new Set<string>();
  for (const { type, data } of events) {
    if (type === 'bot.created' && !present.has(data.slug)) newer.set(data.slug, data);
    if (type === 'bot.removed') gone.add(data.slug);
    // Where it belongs is known only of one that the list has.
    if (type === 'bot.restored') gone.delete(data.slug);
  }
  const bots = newer.size === 0 ? present : new Map([...[...newer].reverse(), ...present]);
  for (const slug of gone) bots.delete(slug);
  return { base, events, bots };
};

const keep = (before: Bot | undefined, bot: Bot): Bot => (before !== undefined && isSame(before, bot) ? before : bot);

const isSame = (a: Bot, b: Bot): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** What became different between two copies; undefined when nothing did. */
export const changeBetween = (before: BotCopy, after: BotCopy): BotChange | undefined => {
  const bots = [...after.bots.values()];
  const change = {
    added: bots.filter(({ slug }) => !before.bots.has(slug)),
    updated: bots.filter((bot) => before.bots.has(bot.slug) && before.bots.get(bot.slug) !== bot),
    removed: [...before.bots.values()].filter(({ slug }) => !after.bots.has(slug)),
  };
  return Object.values(change).some((some) => some.length > 0) ? change : undefined;
};
