/** Every route of the site: the table of what is read, and what is sent; and the pages that depend on no bot. */
import type { RequestHandler } from 'express';
import { problems, type ProblemCode } from '@bot-directory/contract';
import { guide, type View } from '@bot-directory/site';
import type { Log } from '../base/log.ts';
import { formBody, isForm } from '../http/body.ts';
import type { FailurePage, Sendable } from '../http/problems.ts';
import type { Route } from '../http/routes.ts';
import type { BoundOperations } from '../operations/index.ts';
import { configured } from '../operations/input.ts';
import { routeTo, type ResourceRoute } from '../reads/resource.ts';
import type { CreateHandler } from '../reads/handler.ts';
import type { BotStore } from '../store/bots/bot-store.ts';
import { authorsPage } from './authors-page.ts';
import { botBadge, botImage, botPage, installForm, integrationsForm, refreshForm, reportForm } from './bot-page.ts';
import { categoriesPage, integrationsPage, resultsPages } from './directory-page.ts';
import { onlyFromHere } from './form.ts';
import { machineFiles, securityFile, securityPath } from './machine-files.ts';
import { postReportForm, showcaseFeeds, showcaseForm, showcasePage } from './showcase-page.ts';
import { sendablePage, type Site } from './site.ts';
import { submitForm, submitPage, webhookForm, webhooksPage } from './form-pages.ts';

const fixed = (path: string, view: (site: Site) => View): ResourceRoute<Site> =>
  routeTo(path, (site) => sendablePage(site, view(site)));

const codes = Object.entries(problems).map(([code, problem]) => ({ code: code as ProblemCode, ...problem }));

/** The API reference, the guide for subscribers, and others, served whatever happens to the store. */
const fixedPages: readonly ResourceRoute<Site>[] = [
  fixed('/docs', ({ document }) => ({ page: 'docs', document, problems: codes })),
  fixed('/docs/subscribing', () => ({ page: 'subscribing', guide })),
  fixed('/about', () => ({ page: 'about' })),
  fixed('/corrections', () => ({ page: 'corrections' })),
  {
    path: '/problems/:code',
    find: (site, { params }) => {
      const problem = codes.find(({ code }) => code === params['code']);
      if (problem === undefined) return undefined;
      const make = (): Sendable => {
        const { components } = site.document;
        const { value = problem } = (components?.examples?.[problem.code] ?? {}) as { value?: object };
        return sendablePage(site, { page: 'problem', ...problem, example: value });
      };
      return { query: problem.code, freshness: undefined, make };
    },
  },
];

/** What is read. */
const siteResources: readonly ResourceRoute<Site>[] = [
  ...resultsPages,
  categoriesPage,
  integrationsPage,
  authorsPage,
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

/** Addresses that people and programs try → where they lead. */
const moved = {
  '/bots': '/',
  '/api': '/docs',
  '/openapi.json': '/api/openapi.json',
  '/rss': '/bots.atom',
  '/rss.xml': '/bots.atom',
  '/feed.xml': '/bots.atom',
  '/atom.xml': '/bots.atom',
};

const redirectTo =
  (path: string): RequestHandler =>
  (_req, res) =>
    res.redirect(308, path);

/** What the routes need. `bots` undefined: saving is not configured. */
export type SiteDeps = {
  readonly site: Site;
  readonly operations: BoundOperations;
  readonly bots: BotStore | undefined;
  readonly limit: readonly RequestHandler[];
  readonly handlerOf: CreateHandler<Site>;
  /** Makes the handler of the files that pages request. */
  readonly files: RequestHandler;
  readonly log: Pick<Log, 'warn'>;
};

/** Makes all routes of the site. */
export const siteRoutes = ({ site, operations, bots, limit, handlerOf, files, log }: SiteDeps): readonly Route[] => {
  const fromHere = onlyFromHere(site.frame.baseUrl, log);
  // A refused form is shown again as it was typed; what is no form has no page.
  const noForm: RequestHandler = (req, res, next) => (isForm(req) ? next() : void fromHere(req, res, next));
  const install: RequestHandler = (req, res) => installForm(site, configured(bots))(req, res);
  return [
    ...siteResources.map((route): Route => ({
      method: 'GET',
      path: route.path,
      handlers: [handlerOf(route)],
      hasAllHeaders: true,
    })),
    { method: 'GET', path: '/assets/:file', handlers: [files], hasAllHeaders: true },
    { method: 'GET', path: securityPath, handlers: [securityFile(site)] },
    ...Object.entries(moved).map(([path, to]): Route => ({ method: 'GET', path, handlers: [redirectTo(to)] })),
    ...Object.entries(forms).map(([path, form]): Route => {
      const handlers = [noForm, formBody, form(site, operations)([fromHere, ...limit])];
      return { method: 'POST', path, handlers };
    }),
    { method: 'POST', path: '/bots/:slug/install', handlers: [...(bots === undefined ? [] : limit), install] },
  ];
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
