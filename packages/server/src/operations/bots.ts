/**
 * What is done to a bot that was submitted: integrations are added, its template is read again, and it is reported. All
 * find the bot by its slug.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addedIntegrations,
  limits,
  newReport,
  templateFields,
  writeRoutes,
  type MergedIntegrations,
  type RefreshedBot,
  type Report,
  type TemplateField,
} from '@bot-directory/contract';
import { timestamp } from '../base/time.ts';
import { Failure } from '../base/failure.ts';
import type { BotId, Ids } from '../base/ids.ts';
import { botGone, botNotFound, botPath, splitList } from '../domain/bot.ts';
import { displayText } from '../domain/display-text.ts';
import type { BotStore, Reading } from '../store/bots/bot-store.ts';
import { isSaved, type ReportStore } from '../store/reports/report-store.ts';
import { operation, refined, writtenIntegrations } from './input.ts';
import { readTemplate, type ReadTemplateDeps, type TemplateReading } from './read-template.ts';
import { blocked, providerUnavailable, templateMissing } from './submit-bot.ts';

type Deps = { readonly bots: BotStore };

const idOf = async (bots: BotStore, slug: string): Promise<BotId> => {
  const id = await bots.idOfSlug(slug);
  if (id === undefined) throw botNotFound();
  return id;
};

/**
 * Merges integrations into the bot at `slug`, all or none: it never exceeds its limit and never loses one. Failures:
 * bot_not_found, bot_gone, too_many_integrations.
 */
export const addIntegrations = operation({
  input: () => refined(addedIntegrations, { integrations: writtenIntegrations() }),
  run: async ({ bots }: Deps, { integrations }, { slug }): Promise<MergedIntegrations> => {
    const merge = await bots.addIntegrations(await idOf(bots, slug), integrations);
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

type RefreshDeps = ReadTemplateDeps & Deps;

/** How often a reading under way elsewhere is checked for its result. */
const pollMs = 100;

/**
 * Reads the template of the bot at `slug` again, at most once in ten minutes; in between, the last result is returned,
 * once there is one. Failures: bot_not_found, bot_gone, template_not_found, template_provider_unavailable,
 * submission_blocked.
 */
export const refreshBot = operation({
  input: () => writeRoutes.refreshBot.body,
  run: async (deps: RefreshDeps, _input, { slug }): Promise<RefreshedBot> => {
    const { changed, atMs } = await refresh(deps, await idOf(deps.bots, slug));
    return { slug, url: botPath(slug), changed, checked_at: timestamp(atMs) };
  },
});

const refresh = async (deps: RefreshDeps, id: BotId): Promise<{ changed: TemplateField[]; atMs: number }> => {
  const claim = await claimOrResult(deps.bots, id);
  if (claim.outcome === 'missing') throw botNotFound();
  if (claim.outcome === 'removed') throw botGone(claim);
  const { atMs } = claim;
  if (claim.outcome === 'recent') return { changed: resultOf(claim), atMs };
  return { changed: changedBy(await readTemplate(deps, { id, hash: claim.hash })), atMs };
};

/** Claims the next reading. Waits for one that is under way: it ends with a result, or its claim lapses. */
const claimOrResult = async (bots: BotStore, id: BotId): Promise<Exclude<Reading, { outcome: 'unfinished' }>> => {
  for (;;) {
    const claim = await bots.claimReading(id);
    if (claim.outcome !== 'unfinished') return claim;
    await sleep(pollMs);
  }
};

/** The fields that a reading changed, or the failure that it ended with, which stands until the next reading. */
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
      throw providerUnavailable(reading.why, limits.refreshSec);
  }
};

/** The stored result of a reading, or the failure that it stands for. */
const resultOf = ({ result, nextSec }: { readonly result: string; readonly nextSec: number }): TemplateField[] => {
  if (result === 'template_provider_unavailable') throw providerUnavailable('the last reading failed', nextSec);
  if (result === 'template_not_found') throw templateMissing();
  if (result === 'submission_blocked') throw blocked();
  return templateFields.filter((name) => splitList(result).includes(name));
};

type ReportDeps = Deps & {
  readonly reports: Pick<ReportStore, 'add'>;
  readonly ids: Ids;
};

/**
 * Reports the bot at `slug` to the operator, who alone sees the report. A report hides nothing by itself. What a
 * client reports again for the same reason is the same report. Failures: bot_not_found, bot_gone.
 */
export const reportBot = operation({
  input: () => newReport,
  run: async ({ bots, reports, ids }: ReportDeps, { reason, text }, { slug, client }): Promise<Report> => {
    const subject = await idOf(bots, slug);
    const details = displayText(text ?? '', limits.reportLength);
    const outcome = await reports.add({ id: ids.report(), subject, reason, text: details, network: client });
    if (outcome === 'removed') throw botGone({ reason: (await bots.historyOf(slug)).removal ?? '' });
    if (!isSaved(outcome)) throw botNotFound();
    return { id: outcome, slug };
  },
});
