/**
 * The bots of a mirror: the list as last compared, with the later events applied to it. Pure.
 *
 * Events may arrive during a comparison, and its list may have them or not. They are therefore applied to it again, in
 * order; a created bot that the list already has stays as the list shows it.
 */
import type { Bot, DirectoryEvent } from '@bot-directory/sdk';

/** What changed. */
export interface BotChange {
  /** Bots that are new. */
  added: Bot[];
  /** Bots that changed, as they are now. */
  updated: Bot[];
  /** Bots that are gone, as they last were. */
  removed: Bot[];
}

/** The bots of a mirror, and what they are made from. */
export interface BotCopy {
  /** The list that the server last returned, and its ETag. */
  readonly base: { readonly bots: readonly Bot[]; readonly etag: string | undefined };
  /** Events since that list was requested. */
  readonly events: readonly DirectoryEvent[];
  /** The list with the events applied, newest first, by slug. */
  readonly bots: ReadonlyMap<string, Bot>;
}

/** The copy before the first comparison. */
export const emptyCopy: BotCopy = { base: { bots: [], etag: undefined }, events: [], bots: new Map() };

/** Returns the copy after an event. */
export const withEvent = (copy: BotCopy, event: DirectoryEvent): BotCopy => overlay(copy.base, [...copy.events, event]);

/**
 * Returns the copy after a comparison that was requested when there were `eventsBefore` events; after a 304, `base` is
 * the current one. A bot that did not change stays the same object.
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
    switch (type) {
      case 'bot.created':
        if (!present.has(data.slug)) newer.set(data.slug, data);
        break;
      case 'bot.removed':
        gone.add(data.slug);
        break;
      case 'bot.updated':
        // Only the list knows whether it is the bot's last change.
        break;
      case 'bot.restored':
        // Its position is known only if the list has it.
        gone.delete(data.slug);
        break;
      default:
        data satisfies never;
    }
  }
  const bots = newer.size === 0 ? present : new Map([...[...newer].reverse(), ...present]);
  for (const slug of gone) bots.delete(slug);
  return { base, events, bots };
};

const keep = (before: Bot | undefined, bot: Bot): Bot => (before !== undefined && isSame(before, bot) ? before : bot);

const isSame = (a: Bot, b: Bot): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Returns what changed between two copies; undefined if nothing did. */
export const changeBetween = (before: BotCopy, after: BotCopy): BotChange | undefined => {
  const bots = [...after.bots.values()];
  const change = {
    added: bots.filter(({ slug }) => !before.bots.has(slug)),
    updated: bots.filter((bot) => before.bots.has(bot.slug) && before.bots.get(bot.slug) !== bot),
    removed: [...before.bots.values()].filter(({ slug }) => !after.bots.has(slug)),
  };
  return Object.values(change).some((some) => some.length > 0) ? change : undefined;
};
