/** The text of a bot that searches and filters look at. */
import type { Bot } from '@bot-directory/contract';

/** The text that `q` is matched against. */
export const botText = (bot: Bot): string =>
  [bot.name, bot.description, bot.author ?? '', ...bot.integrations.flatMap(spellings), ...bot.categories].join(' ');

/** `c-plus-plus` is also found as `c++`, and `c-sharp` as `c#`. */
const spellings = (slug: string): string[] =>
  /-(?:plus|sharp)/.test(slug) ? [slug, slug.replaceAll('-plus', '+').replaceAll('-sharp', '#')] : [slug];
