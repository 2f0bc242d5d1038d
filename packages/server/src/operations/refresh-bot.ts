/** Reads a bot's template again, at most once in ten minutes; in between, the last result is returned. */
import { templateFields, writeRoutes, type RefreshedBot, type TemplateField } from '@bot-directory/contract';
import { timestamp } from '../base/clock.ts';
import type { BotId } from '../base/ids.ts';
import { botGone, botNotFound, botPath, splitList } from '../domain/bot.ts';
import type { BotStore } from '../store/bot-store.ts';
import { operation } from './input.ts';
import { readTemplate, type ReadTemplateDeps, type TemplateReading } from './read-template.ts';
import { blocked, providerUnavailable, templateMissing } from './submit-bot.ts';

type Deps = ReadTemplateDeps & { readonly bots: BotStore };

/**
 * Refreshes the bot at `slug`. Failures: bot_not_found, bot_gone, template_not_found, template_provider_unavailable,
 * submission_blocked.
 */
export const refreshBot = operation({
  input: () => writeRoutes.refreshBot.body,
  run: async (deps: Deps, _input, slug): Promise<RefreshedBot> => {
    const id = await deps.bots.idOfSlug(slug);
    if (id === undefined) throw botNotFound();
    const { changed, atMs } = await refresh(deps, id);
    return { slug, url: botPath(slug), changed, checked_at: timestamp(atMs) };
  },
});

const refresh = async (deps: Deps, id: BotId): Promise<{ changed: TemplateField[]; atMs: number }> => {
  const reading = await deps.bots.claimReading(id);
  if (reading.outcome === 'missing') throw botNotFound();
  if (reading.outcome === 'removed') throw botGone(reading);
  const { atMs } = reading;
  if (reading.outcome === 'recent') return { changed: resultOf(reading), atMs };
  return { changed: changedBy(await readTemplate(deps, { id, hash: reading.hash })), atMs };
};

/** The fields that a reading changed, or the failure that it ended with. */
const changedBy = (reading: TemplateReading): TemplateField[] => {
  switch (reading.outcome) {
    case 'read':
    case 'returned':
      return reading.changed;
    case 'left':
      throw botNotFound();
    case 'missing':
      throw templateMissing();
    case 'blocked':
      throw blocked();
    case 'unavailable':
      throw providerUnavailable(reading.why);
  }
};

/** The stored result of a reading, or the failure that it stands for. */
const resultOf = ({ result, nextSec }: { readonly result: string; readonly nextSec: number }): TemplateField[] => {
  if (result === '') throw providerUnavailable('another request is reading the template');
  if (result === 'template_provider_unavailable') throw providerUnavailable('the last reading failed', nextSec);
  if (result === 'template_not_found') throw templateMissing();
  if (result === 'submission_blocked') throw blocked();
  return templateFields.filter((name) => splitList(result).includes(name));
};
