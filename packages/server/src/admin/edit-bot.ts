/** Editing a bot: the values that an operator writes, and the one step that changes it and publishes the event. */
import { limits } from '@bot-directory/contract';
import { createIds, type Ids } from '../base/ids.ts';
import { splitList } from '../domain/bot.ts';
import { parseAuthor, parseStatusUrl, type SocialHosts } from '../domain/links.ts';
import { type Categories, namesFor, parseCategory, parseIntegration } from '../domain/names.ts';
import type { OperatorBot, OperatorBots } from '../store/bots/bot-store.ts';
import type { ModerationStore, Operator } from '../store/moderation/moderation-store.ts';
import { CommandError, valid, type Terminal } from './terminal.ts';

/** What the commands need. */
export type BotDeps = {
  readonly bots: OperatorBots;
  readonly moderation: ModerationStore;
  /** The values of an edit are checked against these settings. */
  readonly social: SocialHosts;
  readonly categories: Categories;
  readonly operator: Operator;
  readonly terminal: Terminal;
};

export const named = async (bots: OperatorBots, slug: string): Promise<OperatorBot | undefined> => {
  const id = await bots.idOfSlug(slug);
  return id === undefined ? undefined : bots.read(id);
};

/** Makes ids by the store's clock: readers that resume from an event's id look for it by its time. */
export const storeIds = async (moderation: ModerationStore): Promise<Ids> => {
  const nowMs = await moderation.nowMs();
  return createIds(() => nowMs);
};

/** What an edit sets; '' stands for none. Integrations begin with + or -. */
export type Changes = {
  readonly category?: readonly string[];
  readonly author?: string;
  readonly sourceUrl?: string;
  readonly integration?: readonly string[];
};

type Hash = ReadonlyMap<string, string>;

/**
 * Changes a bot, listed or not, in one step. `changesOf`: the values that fields get. Returns the names of the fields
 * that changed. Throws CommandError if there is no such bot.
 */
export const changeBot = async (
  { bots, moderation, operator }: BotDeps,
  slug: string,
  changesOf: (hash: Hash) => readonly (readonly [string, string])[],
): Promise<readonly string[]> => {
  for (;;) {
    const bot = await named(bots, slug);
    if (bot === undefined) throw new CommandError(`No bot has the slug ${slug}; nothing was changed.`);
    if (bot.state === 'removed') throw new CommandError(`${slug} was removed; nothing is left of it to edit.`);
    const hash = bot.fields;
    const fields = new Map(changesOf(hash).filter(([name, value]) => value !== (hash.get(name) ?? '')));
    if (fields.size === 0) return [];
    const eventId = (await storeIds(moderation)).event();
    if ((await bots.edit({ id: bot.id, hash, fields, eventId, operator })) === 'changed')
      return [...fields.keys()].filter((name) => name !== 'provided' && name !== 'written');
  }
};

/** The fields that the changes name, as a hash has them. */
export const editedFields = (
  { social, categories }: BotDeps,
  hash: Hash,
  { category, author, sourceUrl, integration }: Changes,
): [string, string][] => [
  ...(category === undefined ? [] : [['categories', categoriesOf(category, categories)] as [string, string]]),
  ...(author === undefined ? [] : [['author', author === '' ? '' : valid(parseAuthor(author))] as [string, string]]),
  ...(sourceUrl === undefined
    ? []
    : [['source_url', sourceUrl === '' ? '' : valid(parseStatusUrl(sourceUrl, social)).url] as [string, string]]),
  ...(integration === undefined ? [] : integrationsOf(hash, integration)),
];

const categoriesOf = (names: readonly string[], allowed: readonly string[]): string => {
  const found = names.filter((name) => name !== '').map((name) => valid(parseCategory(name, allowed)));
  const unique = [...new Set(found)];
  if (unique.length > limits.categoriesPerBot)
    throw new CommandError(`A bot has at most ${limits.categoriesPerBot} categories.`);
  return unique.join(',');
};

/** What an operator adds counts as added by a person. */
const integrationsOf = (hash: Hash, changes: readonly string[]): [string, string][] => {
  const integrations = new Set(splitList(hash.get('integrations') ?? ''));
  const provided = new Set(splitList(hash.get('provided') ?? ''));
  const written = [...changes.map((change) => change.slice(1)), ...splitList(hash.get('written') ?? '')];
  for (const change of changes) {
    const slug = valid(parseIntegration(change.slice(1)));
    if (change.startsWith('+')) integrations.add(slug);
    else if (change.startsWith('-')) integrations.delete(slug);
    else throw new CommandError('Write +slack to add an integration, or -slack to remove it.');
    provided.delete(slug);
  }
  if (integrations.size > limits.integrationsPerBot)
    throw new CommandError(`A bot has at most ${limits.integrationsPerBot} integrations.`);
  return [
    ['integrations', [...integrations].join(',')],
    ['provided', [...provided].join(',')],
    ['written', namesFor([...integrations], written).join(',')],
  ];
};
