/** Which bots are similar to another: those in a shared category with the most integrations in common, newest first. */
import type { Bot } from '@bot-directory/contract';

const most = 3;

/** The ordinals of up to three. `candidates` share a category with the bot, newest first. */
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
