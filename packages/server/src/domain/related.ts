/** Which bots are like another: of one category with it, those with the most integrations in common, the newest first. */
import type { Bot } from '@bot-directory/contract';

const most = 3;

/** The ordinals of up to three. `candidates` are of a category of the bot, the newest first. */
export const relatedTo = (
  bot: Bot,
  candidates: readonly { readonly ordinal: number; readonly bot: Bot }[],
): readonly number[] => {
  const own = new Set(bot.integrations);
  const shared = ({ integrations }: Bot): number => integrations.filter((slug) => own.has(slug)).length;
  return candidates
    .map(({ ordinal, bot: other }) => ({ ordinal, shared: shared(other) }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, most)
    .map(({ ordinal }) => ordinal);
};
