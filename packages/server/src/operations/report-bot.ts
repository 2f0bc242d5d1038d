/** Reports a bot to the operator. A report hides nothing by itself, and only the operator sees it. */
import { limits, newReport, type Report } from '@bot-directory/contract';
import type { Ids } from '../base/ids.ts';
import { botGone, botNotFound } from '../domain/bot.ts';
import { displayText } from '../domain/display-text.ts';
import type { BotStore } from '../store/bot-store.ts';
import type { ReportStore } from '../store/moderation-store.ts';
import { operation } from './input.ts';

type Deps = { readonly bots: BotStore; readonly reports: ReportStore; readonly ids: Ids };

/** Saves a report of the bot at `slug`. Failures: bot_not_found, bot_gone. */
export const reportBot = operation({
  input: () => newReport,
  run: async ({ bots, reports, ids }: Deps, { reason, text }, slug): Promise<Report> => {
    const subject = await bots.idOfSlug(slug);
    if (subject === undefined) throw botNotFound();
    const id = ids.report();
    const outcome = await reports.add({ id, subject, reason, text: displayText(text ?? '', limits.reportLength) });
    if (outcome === 'removed') throw botGone({ reason: (await bots.removalReason(slug)) ?? '' });
    if (outcome !== 'kept') throw botNotFound();
    return { id, slug };
  },
});
