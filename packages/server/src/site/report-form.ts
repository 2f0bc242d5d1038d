/** The form that reports a bot. */
import { botPath } from '../domain/bot.ts';
import { botPageWithReport } from './bot-page.ts';
import type { FormActions } from './form-actions.ts';
import { fieldOf, filled, takeForm } from './form.ts';
import type { Site } from './site.ts';

/** Sends a report and redirects to the bot, or shows its page again with the errors. Failure: bot_not_found. */
export const reportForm = (site: Site, { reportBot }: Pick<FormActions, 'reportBot'>) =>
  takeForm<{ slug: string }>(
    async (typed, { slug }) => {
      await reportBot(slug, filled({ reason: fieldOf(typed, 'reason'), text: fieldOf(typed, 'text') }));
      return { leadTo: `${botPath(slug)}#reported` };
    },
    async ({ failure, form }, { slug }) => {
      await site.directory.fresh().catch(() => undefined);
      // Without the bot there is no page to show the form on.
      if (site.directory.bySlug(slug) === undefined) throw failure;
      return botPageWithReport(site, slug, form);
    },
  );
