/** Hides, removes or restores what a command selected: asks, does it, and says what changed. */
import type { BotId, PostId } from '../base/ids.ts';
import type { Moderation } from '../domain/moderation.ts';
import type { EntryKind } from '../store/keys.ts';
import { storeIds, type BotDeps } from './edit-bot.ts';
import { confirm, past, showResult, summary, unasked } from './terminal.ts';

/** `names`: what the entries are called, in the same order. */
type Selected =
  | { readonly kind: 'bot'; readonly ids: readonly BotId[]; readonly names: readonly string[] }
  | { readonly kind: 'post'; readonly ids: readonly PostId[]; readonly names: readonly string[] };

/** How several are named. */
const inWords: Readonly<Record<EntryKind, (names: readonly string[]) => string>> = {
  bot: summary,
  post: ({ length }) => `${length} posts`,
};

export const moderate = async (
  deps: Pick<BotDeps, 'moderation' | 'operator' | 'terminal'>,
  action: Moderation,
  { kind, ids, names, reason }: Selected & { readonly reason: string },
): Promise<void> => {
  const { moderation, operator, terminal } = deps;
  const { length } = ids;
  if (length > unasked || (action === 'remove' && length > 0))
    await confirm(terminal, `${action} ${inWords[kind](names)}?`);
  const terms = { operator, reason };
  const act = async (): Promise<readonly string[]> => {
    if (kind === 'post')
      return moderation.moderate(
        'post',
        action,
        ids.map((id) => ({ id })),
        terms,
      );
    const made = await storeIds(moderation);
    return moderation.moderate(
      'bot',
      action,
      ids.map((id) => ({ id, eventId: made.event() })),
      terms,
    );
  };
  const changed = length === 0 ? [] : await act();
  showResult(
    terminal,
    { action, count: changed.length, [`${kind}s`]: changed },
    changed.length === 0 ? `No ${kind} matches; nothing was changed.` : `${past[action]} ${inWords[kind](changed)}.`,
  );
};
