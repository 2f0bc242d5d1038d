/** Every route of the site: the table of what is read, and what is sent; and the pages that depend on no bot. */
import type { Express, RequestHandler } from 'express';
import { problems, type ProblemCode } from '@bot-directory/contract';
import { guide, type View } from '@bot-directory/site';
import { botPath } from '../domain/bot.ts';
import { formBody } from '../http/body.ts';
import type { Route } from '../http/paths.ts';
import type { FailurePage, Sendable } from '../http/problems.ts';
import type { BoundOperations } from '../operations/index.ts';
import { configured } from '../operations/input.ts';
import { rowOf, type ReadRow } from '../reads/read.ts';
import type { BotStore } from '../store/bot-store.ts';
import { botBadge, botImage, botPage, installForm, integrationsForm, refreshForm, reportForm } from './bot-page.ts';
import { integrationsPage, resultsAddress, resultsPages } from './directory-page.ts';
import { onlyFromHere, slugOf } from './form.ts';
import { machineFiles, securityFile, securityPath } from './machine-files.ts';
import { postReportForm, showcaseFeeds, showcaseForm, showcasePage } from './showcase-page.ts';
import { sendablePage, type Site } from './site.ts';
import { submitForm, submitPage, webhookForm, webhooksPage } from './form-pages.ts';

const fixed = (path: string, view: (site: Site) => View): ReadRow<Site> =>
  rowOf(path, (site) => sendablePage(site, view(site)));

const codes = Object.entries(problems).map(([code, problem]) => ({ code: code as ProblemCode, ...problem }));

/** The API reference, the guide for subscribers, and others, served whatever happens to the store. */
const fixedPages: readonly ReadRow<Site>[] = [
  fixed('/docs', ({ document }) => ({ page: 'docs', document, problems: codes })),
  fixed('/docs/subscribing', () => ({ page: 'subscribing', guide })),
  fixed('/about', () => ({ page: 'about' })),
  fixed('/corrections', () => ({ page: 'corrections' })),
  {
    path: '/problems/:code',
    read: (site, { params }) => {
      const problem = codes.find(({ code }) => code === params['code']);
      if (problem === undefined) return undefined;
      const make = (): Sendable => {
        const { components } = site.document;
        const { value = problem } = (components?.examples?.[problem.code] ?? {}) as { value?: object };
        return sendablePage(site, { page: 'problem', ...problem, example: value });
      };
      return { query: problem.code, state: undefined, make };
    },
  },
];

/** What is read. */
export const siteReads: readonly ReadRow<Site>[] = [
  ...resultsPages,
  integrationsPage,
  showcasePage,
  ...showcaseFeeds,
  submitPage,
  webhooksPage,
  ...fixedPages,
  botPage,
  botBadge,
  botImage,
  ...machineFiles,
];

/** What is sent, besides an install. */
const forms = {
  '/submit': submitForm,
  '/feed': showcaseForm,
  '/feed/reports': postReportForm,
  '/webhooks': webhookForm,
  '/bots/:slug/reports': reportForm,
  '/bots/:slug/integrations': integrationsForm,
  '/bots/:slug/refresh': refreshForm,
};
const installPath = '/bots/:slug/install';

/** Addresses that people try → the page that they redirect to. */
const moved = { '/bots': '/', '/categories': '/', '/authors': '/' };

/** All routes. */
export const siteRoutes: readonly Route[] = [
  ...[...siteReads.map(({ path }) => path), '/assets/:file', securityPath, ...Object.keys(moved)].map((path) => ({
    method: 'GET',
    path,
  })),
  ...[...Object.keys(forms), installPath].map((path) => ({ method: 'POST', path })),
];

/** What the forms need. `bots` undefined: saving is not configured. */
export type FormsDeps = {
  readonly site: Site;
  readonly operations: BoundOperations;
  readonly bots: BotStore | undefined;
  /** The limit on writes. */
  readonly limit: readonly RequestHandler[];
};

/** Mounts the forms, and the redirect of a bot's page. */
export const mountSite = (app: Express, { site, operations, bots, limit }: FormsDeps): void => {
  const fromHere = onlyFromHere(site.frame.baseUrl);
  for (const [path, form] of Object.entries(forms)) app.post(path, fromHere, formBody, form(site, operations)(limit));
  app.post(installPath, ...(bots === undefined ? [] : limit), (req, res) =>
    installForm(site, configured(bots))(req, res),
  );
  app.get(securityPath, securityFile(site));
  for (const [from, path] of Object.entries(moved)) app.get(from, (_req, res) => res.redirect(308, path));
  for (const { path } of resultsPages)
    app.get(path, (req, res, next) => {
      const [own = '/', search = ''] = req.url.split('?');
      const address = resultsAddress(site, own, search);
      if (address === undefined || address === req.url) next();
      else res.redirect(308, address);
    });
  // Slugs are lower case; reads accept no other spelling.
  app.get(botPage.path, (req, res, next) => {
    const slug = slugOf(req);
    const lower = slug.toLowerCase();
    if (lower === slug) next();
    else res.redirect(308, botPath(lower));
  });
};

/** Makes the page of a failure, for clients that prefer HTML. It offers a search for the slug's words. */
export const failurePage =
  (site: Pick<Site, 'frame'>): FailurePage =>
  (failure, { path, requestId, retryAfterSec }) => {
    const { code, detail, extras } = failure;
    const { status } = problems[code];
    const [, slug = ''] = /^\/bots\/([a-z0-9-]{1,80})/i.exec(path) ?? [];
    if (status === 410)
      return sendablePage(site, { page: 'removed', slug, reason: extras.reason ?? '', removedAt: extras.removedAt });
    return sendablePage(site, {
      page: 'failure',
      status,
      code,
      detail,
      requestId,
      retryAfterSec,
      errors: extras.errors ?? [],
      words: slug.replaceAll('-', ' ').trim(),
    });
  };
