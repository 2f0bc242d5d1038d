/** The install button: it counts an install where it may, and always leads to the template. */
import type { Request, Response } from 'express';
import { isSameOrigin } from '../domain/same-origin.ts';
import { installBot } from '../operations/install-bot.ts';
import { leadOn } from './form.ts';

/**
 * A form on another site is redirected too, but does not count: the visitor did not choose the bot here. Failure:
 * bot_not_found.
 */
export const installAction =
  (deps: Parameters<typeof installBot>[0], baseUrl: string) =>
  async (req: Request<{ slug: string }>, res: Response): Promise<void> => {
    const source = { secFetchSite: req.get('sec-fetch-site'), origin: req.get('origin') };
    const visitor = isSameOrigin(source, baseUrl) ? { address: req.ip ?? '' } : undefined;
    leadOn(res, await installBot(deps, req.params.slug, visitor));
  };
