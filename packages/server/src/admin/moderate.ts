/** Hides, removes and restores bots: it reads the selection and writes the events; one script does the rest. */
import type { Bot, DirectoryEvent } from '@bot-directory/contract';
import { createIds, type Ids } from '../base/ids.ts';
import { botFromHash } from '../domain/bot-fields.ts';
import {
  maxModerated,
  type ModeratedBot,
  type Moderation,
  type ModerationStore,
  type Operator,
} from '../store/moderation-store.ts';
import type { OperatorBot } from './selection.ts';
import { CommandError } from './terminal.ts';

type Deps = { readonly moderation: ModerationStore; readonly baseUrl: string };

/** The states from which each action is possible. */
export const startingStates = {
  hide: ['listed'],
  remove: ['listed', 'hidden', 'pending'],
  restore: ['hidden', 'removed', 'pending'],
} as const;

/**
 * Moderates bots in one atomic step. Returns the slugs of those that changed. Throws CommandError if there are too
 * many.
 */
export const moderateBots = async (
  { moderation, baseUrl }: Deps,
  action: Moderation,
  bots: readonly OperatorBot[],
  { operator, reason }: { readonly operator: Operator; readonly reason: string },
): Promise<readonly string[]> => {
  if (bots.length > maxModerated) {
    throw new CommandError(
      `These are ${bots.length} bots, and one step changes at most ${maxModerated}: narrow the selection, for instance with --until.`,
    );
  }
  const ids = createIds(Date.now);
  const moderated = bots.map((bot) => toModerated(action, bot, { ids, reason, baseUrl }));
  return moderation.moderate(action, moderated, { operator, reason });
};

/** The placeholder in an envelope for the time, which only the script knows. */
const hole = '\0';

const toModerated = (
  action: Moderation,
  bot: OperatorBot,
  { ids, reason, baseUrl }: { readonly ids: Ids; readonly reason: string; readonly baseUrl: string },
): ModeratedBot => {
  const id = ids.event();
  const event = eventOf(action, bot, { reason, baseUrl });
  const envelope = JSON.stringify({ id, type: event.type, created_at: hole, data: event.data });
  return { id: bot.id, eventId: id, eventType: event.type, envelope: envelope.replaceAll('\\u0000', hole) };
};

type EventContent = {
  [Event in DirectoryEvent as Event['type']]: Pick<Event, 'type' | 'data'>;
}[DirectoryEvent['type']];

const eventOf = (
  action: Moderation,
  bot: OperatorBot,
  { reason, baseUrl }: { readonly reason: string; readonly baseUrl: string },
): EventContent => {
  if (action !== 'restore') {
    const data = { id: bot.id, slug: bot.slug, reason: action === 'remove' ? reason : null };
    return { type: 'bot.removed', data };
  }
  const data: Bot = botFromHash(bot.fields, baseUrl).bot;
  // A bot that has never been announced waited for approval, and is published now.
  if (!bot.fields.has('event')) return { type: 'bot.created', data: { ...data, created_at: hole } };
  return { type: 'bot.restored', data };
};
