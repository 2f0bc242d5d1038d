/**
 * What a webhook, or a reader of the log, wants of all events: types, and a filter of bots; and in which format. A
 * webhook that wants what every webhook gets by default has no subscription of its own.
 *
 * A subscription stands under one or a few topics, and an event under all that it touches. One that wants an event
 * shares a topic with it; one that shares a topic may still not want it. So those that may want an event are found
 * without looking at any other.
 */
import {
  defaultEventTypes,
  webhookFormats,
  type Bot,
  type LoggedEventType,
  type WebhookFormat,
  type WebhookStatus,
} from '@bot-directory/contract';
import { namesOfCategory, presentNames, type FormerNames, type IntegrationSlug } from './names.ts';
import type { Author } from './links.ts';
import { botText, findableWords, findsWord, isSpaceless } from './search.ts';

/** Which bots. Names are canonical, sorted and unique. */
export type BotFilter = {
  readonly categories: readonly string[];
  readonly integrations: readonly IntegrationSlug[];
  readonly author: Author | undefined;
  readonly words: readonly string[];
};

/** Which events: of these types, about bots that match. `format`: how they are sent, if not as envelopes. */
export type Subscription = BotFilter & {
  readonly types: readonly LoggedEventType[];
  readonly format?: WebhookFormat | undefined;
};

/** An event as a subscription sees it. `bot`: undefined if nothing is left of the bot. */
export type EventFacts = { readonly type: LoggedEventType; readonly bot: BotFacts | undefined };

/** What a filter may name, other than words. */
const labels = {
  author: (handle: string): string => `author ${handle.toLowerCase()}`,
  category: (name: string): string => `category ${name}`,
  integration: (slug: string): string => `integration ${slug}`,
};

const noFormer: FormerNames = new Map();

const labelsOf = ({ author, categories, integrations }: Bot): string[] => [
  ...(author === null ? [] : [labels.author(author)]),
  ...categories.map(labels.category),
  ...integrations.map(labels.integration),
];

/** The labels of one category under each of its names; any other label is alone. */
const sameLabels = (label: string, former: FormerNames): readonly string[] => {
  const prefix = labels.category('');
  return label.startsWith(prefix) ? namesOfCategory(label.slice(prefix.length), former).map(labels.category) : [label];
};

/** What filters see of a bot. A category that was renamed has each of its names. */
export class BotFacts {
  readonly labels: ReadonlySet<string>;
  readonly #bot: Bot;
  #words: readonly string[] | undefined;

  constructor(bot: Bot, former: FormerNames = noFormer) {
    this.#bot = bot;
    this.labels = new Set(labelsOf(bot).flatMap((label) => sameLabels(label, former)));
  }

  has(label: string): boolean {
    return this.labels.has(label);
  }

  get words(): readonly string[] {
    return (this.#words ??= findableWords(botText(this.#bot)));
  }
}

/** The filter that selects every bot. */
export const anyBot: BotFilter = { categories: [], integrations: [], author: undefined, words: [] };

/** Whether a filter selects every bot. */
export const isUnfiltered = ({ categories, integrations, author, words }: BotFilter): boolean =>
  categories.length === 0 && integrations.length === 0 && author === undefined && words.length === 0;

/** Returns the subscription; undefined if it is the default of every webhook. */
export const ownSubscription = (subscription: Subscription): Subscription | undefined =>
  isUnfiltered(subscription) &&
  subscription.types.join() === defaultEventTypes.join() &&
  subscription.format === undefined
    ? undefined
    : subscription;

/** The filter of a subscription as its owner and the operator see it. */
export const shownFilter = (
  subscription: Subscription | undefined,
  former: FormerNames | undefined,
): WebhookStatus['filter'] => {
  if (subscription === undefined || isUnfiltered(subscription)) return null;
  const { categories, integrations, author, words } = subscription;
  return {
    category: presentNames(categories, former),
    integration: [...integrations],
    author: author ?? null,
    q: words.join(' '),
  };
};

/** A filter in words, a text for each of its members; none if it selects every bot. */
export const filterInWords = (filter: WebhookStatus['filter']): string[] => {
  if (filter === null) return [];
  const { category, integration, author, q } = filter;
  return [category.join(' or '), integration.join(' and '), author ?? '', q].filter((text) => text !== '');
};

/** Whether a subscription wants an event. No filter holds back one about a bot of which nothing is left. */
export const wants = (subscription: Subscription, { type, bot }: EventFacts): boolean => {
  if (!subscription.types.includes(type)) return false;
  if (bot === undefined || isUnfiltered(subscription)) return true;
  const { categories, integrations, author, words } = subscription;
  return (
    (categories.length === 0 || categories.some((name) => bot.has(labels.category(name)))) &&
    integrations.every((slug) => bot.has(labels.integration(slug))) &&
    (author === undefined || bot.has(labels.author(author))) &&
    findsAll(bot.words, words)
  );
};

const findsAll = (own: readonly string[], words: readonly string[]): boolean =>
  words.every((word) => findsWord(own, word));

/** How much of a word is in a topic. */
const beginning = 3;

/** The topics of a subscription: for each type those of the filter's narrowest condition, which few webhooks have. */
export const topicsOf = (subscription: Subscription): string[] => {
  const narrowest = narrowestOf(subscription);
  return subscription.types.flatMap((type) => narrowest.map((condition) => `${type} ${condition}`));
};

const narrowestOf = ({ categories, integrations, author, words }: BotFilter): string[] => {
  if (author !== undefined) return [labels.author(author)];
  const [longest] = words.filter((word) => !isSpaceless(word)).sort((a, b) => b.length - a.length);
  if (longest !== undefined) return [`word ${longest.slice(0, beginning)}`];
  const [integration] = integrations;
  if (integration !== undefined) return [labels.integration(integration)];
  return categories.length > 0 && words.length === 0 ? categories.map(labels.category) : ['any'];
};

/** The topics of an event, each once. One that ends in a space is every topic that begins so. */
export const topicsOfEvent = ({ type, bot }: EventFacts): string[] => {
  if (bot === undefined) return [`${type} `];
  const conditions = new Set(['any', ...bot.labels]);
  for (const word of bot.words)
    for (let length = 1; length <= Math.min(beginning, word.length); length += 1)
      conditions.add(`word ${word.slice(0, length)}`);
  return [...conditions].map((condition) => `${type} ${condition}`);
};

/** A subscription as text, and its topics, a line each, as the store keeps them. */
export const subscriptionText = (subscription: Subscription): string => {
  const { types, categories, integrations, author, words, format } = subscription;
  const wanted = { types, categories, integrations, author, words };
  const shape = format === undefined ? wanted : { format, wanted };
  return [JSON.stringify(shape), ...topicsOf(subscription)].join('\n');
};

/** Parses such a text; undefined if there is none, or if this release knows no such subscription or format. */
export const parseSubscription = (text: string | null | undefined): Subscription | undefined => {
  // Most webhooks have none, and an exception for each took a twentieth of the CPU of deliveries.
  if (!text) return undefined;
  try {
    const shape = JSON.parse(text.split('\n', 1)[0] ?? '') as Subscription & { readonly wanted?: Subscription };
    const { format } = shape;
    const { types, categories, integrations, author, words } = shape.wanted ?? shape;
    const isOne = [types, categories, integrations, words].every((list) => Array.isArray(list));
    if (!isOne || (format !== undefined && !webhookFormats.includes(format))) return undefined;
    const wanted = { types, categories, integrations, author, words };
    return format === undefined ? wanted : { ...wanted, format };
  } catch {
    return undefined;
  }
};
