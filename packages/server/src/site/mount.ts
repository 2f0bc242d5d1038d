/** What pages send: forms, and the two redirects. `routes.ts` has everything that is read. */
import type { Express, RequestHandler } from 'express';
import { Failure } from '../base/failure.ts';
import { botPath } from '../domain/bot.ts';
import type { installBot } from '../operations/install-bot.ts';
import type { FormActions } from './form-actions.ts';
import { onlyFromHere } from './form.ts';
import { installAction } from './install.ts';
import { reportForm } from './report-form.ts';
import { showcaseForm } from './showcase-form.ts';
import type { Site } from './site.ts';
import { submitForm } from './submit-form.ts';
import { webhookForms } from './webhook-forms.ts';

/** What forms need. `install` undefined: saving is not configured. */
export type MountDeps = {
  readonly site: Site;
  readonly actions: FormActions;
  readonly install: Parameters<typeof installBot>[0] | undefined;
  /** The limit on writes. */
  readonly limit: readonly RequestHandler[];
  /** Reads a form into `req.body`. */
  readonly formBody: RequestHandler;
};

/** Mounts them. */
export const mountSite = (app: Express, { site, actions, install, limit, formBody }: MountDeps): void => {
  const { baseUrl } = site.frame;
  const before = [...limit, onlyFromHere(baseUrl), formBody];
  app.post('/submit', ...before, submitForm(site, actions));
  app.post('/feed', ...before, showcaseForm(site, actions));
  app.post('/webhooks', ...before, webhookForms(site, actions));
  app.post('/bots/:slug/reports', ...before, reportForm(site, actions));
  if (install === undefined) app.post('/bots/:slug/install', notConfigured);
  else app.post('/bots/:slug/install', ...limit, installAction(install, baseUrl));
  // Slugs are lower case; reads accept no other spelling.
  app.get('/bots/:slug', (req, res, next) => {
    const lower = req.params.slug.toLowerCase();
    if (lower === req.params.slug) next();
    else res.redirect(308, botPath(lower));
  });
};

const notConfigured: RequestHandler = (_req, _res, next) => {
  next(new Failure('saving_not_configured', 'This service runs without a store, so nothing can be saved.'));
};
