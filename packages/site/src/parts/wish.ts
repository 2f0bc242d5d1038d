/** What a webhook gets, in words: for the form, while it is filled in, and for what it answers. */

/** The events and the filter of a registration. `integration`: names, as they are shown. */
export type Wish = {
  readonly events: readonly string[];
  readonly category: readonly string[];
  readonly integration: readonly string[];
  readonly author: string;
  readonly q: string;
};

/** The events that can be chosen, and what they call the bots. */
export const choosableEvents: readonly (readonly [type: string, word: string])[] = [
  ['bot.created', 'new'],
  ['bot.updated', 'changed'],
  ['bot.removed', 'removed'],
  ['bot.restored', 'restored'],
];

const joined = (words: readonly string[], last: string): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(` ${last} `);

/** Writes it: `new bots in SEO that use Slack`. Without events, those are new bots. */
export const wishInWords = ({ events, category, integration, author, q }: Wish): string => {
  const kinds = choosableEvents.flatMap(([type, word]) => (events.includes(type) ? [word] : []));
  return [
    `${joined(kinds.length === 0 ? ['new'] : kinds, 'and')} bots`,
    ...(category.length === 0 ? [] : [`in ${joined(category, 'or')}`]),
    ...(integration.length === 0 ? [] : [`that use ${joined(integration, 'and')}`]),
    ...(author === '' ? [] : [`by ${author}`]),
    ...(q === '' ? [] : [`with the words “${q}”`]),
  ].join(' ');
};
