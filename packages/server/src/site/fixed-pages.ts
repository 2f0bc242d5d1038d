/**
 * Pages that depend on no bot: the API reference, the guide for subscribers, the pages of error codes, the about page,
 * that of corrections, and that of an error.
 */
import { problems, type ProblemCode } from '@bot-directory/contract';
import { guide, type View } from '@bot-directory/site';
import type { FailurePage, Sendable } from '../http/problems.ts';
import type { ReadRow } from '../reads/read.ts';
import { sendablePage, type Site } from './site.ts';

const fixed = (path: string, view: (site: Site) => View): ReadRow<Site> => ({
  path,
  read: (site) => ({ query: undefined, state: undefined, make: () => sendablePage(site, view(site)) }),
});

const codes = Object.entries(problems).map(([code, problem]) => ({ code: code as ProblemCode, ...problem }));

/** All but that of an error, served whatever happens to the store. */
export const fixedPages: readonly ReadRow<Site>[] = [
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
