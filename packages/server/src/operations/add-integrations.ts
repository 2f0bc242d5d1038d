/** Adds integrations to a bot, all or none. A bot never exceeds its limit and never loses an integration. */
import { limits, type MergedIntegrations } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import { botPath } from '../domain/bot.ts';
import type { IntegrationSlug } from '../domain/integrations.ts';
import { botGone, botNotFound } from '../domain/withdrawal.ts';
import type { BotStore } from '../store/bot-store.ts';

type Deps = { readonly bots: BotStore };

/** Merges integrations into the bot at `slug`. Failures: bot_not_found, bot_gone, too_many_integrations. */
export const addIntegrations = async (
  { bots }: Deps,
  slug: string,
  integrations: readonly IntegrationSlug[],
): Promise<MergedIntegrations> => {
  const id = await bots.idOfSlug(slug);
  const merge = id === undefined ? ({ outcome: 'missing' } as const) : await bots.addIntegrations(id, integrations);
  if (merge.outcome === 'missing') throw botNotFound();
  if (merge.outcome === 'removed') throw botGone(merge);
  if (merge.outcome === 'too_many') {
    throw new Failure(
      'too_many_integrations',
      `A bot has at most ${limits.integrationsPerBot} integrations; this merge would exceed them. Nothing was added.`,
    );
  }
  return { slug, url: botPath(slug), integrations: [...merge.integrations] };
};
