/** Reports a bot to the operator. A report hides nothing by itself, and only the operator sees it. */
import type { Report, ReportReason } from '@bot-directory/contract';
import type { Ids } from '../base/ids.ts';
import { botGone, botNotFound } from '../domain/withdrawal.ts';
import type { BotStore } from '../store/bot-store.ts';
import type { ReportStore } from '../store/report-store.ts';

type Deps = { readonly bots: BotStore; readonly reports: ReportStore; readonly ids: Ids };

/** Saves a report of the bot at `slug`. Failures: bot_not_found, bot_gone. */
export const reportBot = async (
  { bots, reports, ids }: Deps,
  slug: string,
  { reason, text }: { readonly reason: ReportReason; readonly text: string },
): Promise<Report> => {
  const botId = await bots.idOfSlug(slug);
  if (botId === undefined) throw botNotFound();
  const id = ids.report();
  const outcome = await reports.add({ id, botId, reason, text });
  if (outcome === 'removed') throw botGone({ reason: (await bots.removalReason(slug)) ?? '' });
  if (outcome !== 'kept') throw botNotFound();
  return { id, slug };
};
