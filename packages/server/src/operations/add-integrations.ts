/** Adds integrations to a bot, all or none. A bot never exceeds its limit and never loses an integration. */
import * as z from 'zod';
import { addedIntegrations, limits, type MergedIntegrations } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import { botGone, botNotFound, botPath } from '../domain/bot.ts';
import { parseIntegration } from '../domain/labels.ts';
import type { BotStore } from '../store/bot-store.ts';
import { arrayOf, operation, reading, refined, unique } from './input.ts';

type Deps = { readonly bots: BotStore };

/** Merges integrations into the bot at `slug`. Failures: bot_not_found, bot_gone, too_many_integrations. */
export const addIntegrations = operation({
  input: () =>
    refined(addedIntegrations, { integrations: arrayOf(reading(z.string(), parseIntegration)).transform(unique) }),
  run: async ({ bots }: Deps, { integrations }, slug): Promise<MergedIntegrations> => {
    const id = await bots.idOfSlug(slug);
    const merge = id === undefined ? ({ outcome: 'missing' } as const) : await bots.addIntegrations(id, integrations);
    if (merge.outcome === 'missing') throw botNotFound();
    if (merge.outcome === 'removed') throw botGone(merge);
    if (merge.outcome === 'too_many')
      throw new Failure(
        'too_many_integrations',
        `A bot has at most ${limits.integrationsPerBot} integrations; this merge would exceed them. Nothing was added.`,
      );
    return { slug, url: botPath(slug), integrations: [...merge.integrations] };
  },
});
