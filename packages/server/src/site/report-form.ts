/** The form that reports a bot. */
import type { Request, Response } from 'express';
import { botPageWithReport } from './bot-page.ts';
import type { FormActions } from './form-actions.ts';
import { failureOf, fieldOf, filled, leadOn, refusedForm, requestIdOf, sendRefusal, typedIn } from './form.ts';
import { botPath } from '../domain/bot.ts';
import type { Site } from './site.ts';

/** Sends a report and leads back to the bot, or shows its page again with what was wrong. Failure: bot_not_found. */
export const reportForm =
  (site: Site, { reportBot }: Pick<FormActions, 'reportBot'>) =>
  async (req: Request<{ slug: string }>, res: Response): Promise<void> => {
    const { slug } = req.params;
    const typed = typedIn(req as Request);
    try {
      await reportBot(slug, filled({ reason: fieldOf(typed, 'reason'), text: fieldOf(typed, 'text') }));
      leadOn(res, `${botPath(slug)}#reported`);
    } catch (error) {
      const failure = failureOf(error);
      await site.directory.fresh();
      sendRefusal(res, failure, botPageWithReport(site, slug, refusedForm(typed, failure, requestIdOf(res))));
    }
  };
