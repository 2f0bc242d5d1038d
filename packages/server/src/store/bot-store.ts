/** Bots in the store: publishing, merges and installs, one script each. `directory.ts` reads them. */
import { randomBytes } from 'node:crypto';
import { limits } from '@bot-directory/contract';
import type { BotId, EventId } from '../base/ids.ts';
import type { BotDraft } from '../domain/bot.ts';
import { botToHash, splitList } from '../domain/bot-fields.ts';
import { botCreatedTemplate } from '../domain/event.ts';
import type { IntegrationSlug } from '../domain/integrations.ts';
import type { TemplateId } from '../domain/template-link.ts';
import { keys } from './keys.ts';
import type { Store } from './redis.ts';

/** The result of publishing a draft. */
export type Publication =
  | { readonly outcome: 'published' | 'exists'; readonly slug: string }
  /** Submissions are closed. */
  | { readonly outcome: 'closed' }
  /** The blocks have changed: the draft must be checked again. */
  | { readonly outcome: 'outdated' };

/** The result of a merge. */
export type Merge =
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'removed'; readonly reason: string }
  | { readonly outcome: 'too_many' }
  | { readonly outcome: 'merged'; readonly integrations: readonly string[] };

/** The terms of publishing a draft: the blocks it was checked against, and whether it waits for approval. */
export type PublicationTerms = { readonly blocksVersion: number; readonly isPending: boolean };

export type BotStore = ReturnType<typeof createBotStore>;

/** A visitor counts once per bot within this time, in seconds. */
const installWindowSec = 86_400;
/** The most visitors that are remembered; beyond it the oldest may count again. */
export const maxVisitors = 200_000;

/** Bots of the directory with this base URL. */
export const createBotStore = (store: Store, baseUrl: string) => ({
  /** The slug of the bot published from a template, if there is one. */
  slugOfTemplate: (id: TemplateId): Promise<string | null> => store.call((redis) => redis.hget(keys.templates, id)),

  /** The id of the bot under a slug, if there is one. */
  idOfSlug: async (slug: string): Promise<BotId | undefined> =>
    ((await store.call((redis) => redis.hget(keys.slugs, slug))) ?? undefined) as BotId | undefined,

  /** Why the bot under a slug was removed, in the operator's words; `undefined` if it was not. */
  removalReason: async (slug: string): Promise<string | undefined> => {
    const id = (await store.call((redis) => redis.hget(keys.slugs, slug))) as BotId | null;
    if (id === null) return undefined;
    const [state, reason] = await store.call((redis) => redis.hmget(keys.bot(id), 'state', 'reason'));
    return state === 'removed' ? (reason ?? '') : undefined;
  },

  /** Where the install action of a bot leads. */
  linkOf: async (id: BotId): Promise<string> => (await store.call((redis) => redis.hget(keys.bot(id), 'link'))) ?? '',

  /** Publishes the bot and its event in one step. */
  publish: (draft: BotDraft, eventId: EventId, terms: PublicationTerms): Promise<Publication> =>
    publish(store, botCreatedTemplate(eventId, draft, baseUrl), { draft, eventId, ...terms }),

  /** Adds integrations, all or none. */
  addIntegrations: async (id: BotId, added: readonly IntegrationSlug[]): Promise<Merge> => {
    const reply = await store.change(
      'add-integrations',
      [keys.state, keys.bot(id), keys.changes],
      [id, limits.integrationsPerBot, ...added],
    );
    const [outcome, joined] = reply as [Merge['outcome'], string?];
    if (outcome === 'merged') return { outcome, integrations: splitList(joined ?? '') };
    return outcome === 'removed' ? { outcome, reason: joined ?? '' } : { outcome };
  },

  /** Counts an install by a visitor, at most once in 24 hours. */
  countInstall: async (id: BotId, visitor: string): Promise<'missing' | 'repeated' | 'counted'> => {
    const reply = await store.change(
      'count-install',
      [keys.state, keys.bot(id), keys.changes, keys.installs],
      [id, `${id}:${visitor}`, installWindowSec, maxVisitors],
    );
    return reply as 'missing' | 'repeated' | 'counted';
  },

  /** The salt that visitors are hashed with; made on first use. */
  visitorSalt: async (): Promise<string> => {
    await store.call((redis) => redis.hsetnx(keys.state, 'salt', randomBytes(16).toString('hex')));
    return (await store.call((redis) => redis.hget(keys.state, 'salt'))) ?? '';
  },
});

type PublicationInput = PublicationTerms & { readonly draft: BotDraft; readonly eventId: EventId };

const publish = async (
  store: Store,
  template: ReturnType<typeof botCreatedTemplate>,
  { draft, eventId, blocksVersion, isPending }: PublicationInput,
): Promise<Publication> => {
  const { state, templates, slugs, suffixes, bots, changes, events, eventIds, withdrawn } = keys;
  const reply = await store.change(
    'publish-bot',
    [state, templates, slugs, suffixes, keys.bot(draft.id), bots, changes, events, eventIds, withdrawn],
    [
      ...[draft.id, draft.templateId, draft.wantedSlug, eventId, 'bot.created'],
      ...[template.json, template.slug, template.time, blocksVersion, isPending ? 1 : 0],
      ...botToHash(draft),
    ],
  );
  const [outcome, slug = ''] = reply as [Publication['outcome'], string?];
  return outcome === 'closed' || outcome === 'outdated' ? { outcome } : { outcome, slug };
};
