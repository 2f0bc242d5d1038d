/** An error as a page, for clients that prefer HTML to a problem. */
import { problems } from '@bot-directory/contract';
import type { Failure } from '../base/failure.ts';
import type { Sendable } from './page-read.ts';
import { sendablePage, type Site } from './site.ts';

/** What an error page is made of. `path` is the requested one. */
export type FailedRequest = {
  readonly path: string;
  readonly requestId: string;
  readonly retryAfterSec: number | undefined;
};

/** Makes the page. It offers a search for the slug's words. */
export const failurePage = (
  site: Pick<Site, 'frame'>,
  failure: Failure,
  { path, requestId, retryAfterSec }: FailedRequest,
): Sendable => {
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
