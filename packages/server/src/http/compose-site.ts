/**
 * Makes the site of a process from its settings, once: what its pages share, its reads, its files and its error pages.
 */
import type { Config } from '../config.ts';
import { failurePage } from '../site/failure-page.ts';
import { brandedAssets, frameOf } from '../site/frame.ts';
import { fileHeaders } from '../site/headers.ts';
import { siteRoutes } from '../site/routes.ts';
import type { Site } from '../site/site.ts';
import type { Directory } from '../store/directory.ts';
import type { FailurePage } from './answer-error.ts';
import { createAssets, type WithAssets } from './assets.ts';
import { createPageReads } from './page-reads.ts';
import type { ReadRoute } from './reads.ts';

/** What the site needs. `isOpen`: whether anything can be saved. */
type Deps = {
  readonly directory: Directory;
  readonly isOpen: boolean;
  readonly onError: (error: unknown) => void;
};

/** The site, as the server serves it. */
export type ServedSite = {
  readonly site: Site;
  readonly reads: ReadRoute;
  readonly withAssets: WithAssets;
  readonly failurePage: FailurePage;
};

/** Makes the site. */
export const composeSite = (config: Config, { directory, isOpen, onError }: Deps): ServedSite => {
  const files = brandedAssets(config.site.accent);
  const { retryDelaysMs, timeoutMs } = config.webhook;
  const settings = {
    frame: frameOf(config, files),
    categories: config.categories,
    webhook: { retryDelaysMs, timeoutMs },
    isOpen,
  };
  const site = { ...settings, directory };
  return {
    site,
    reads: createPageReads({ pages: siteRoutes(site, files), settings, onError }),
    withAssets: createAssets(files, fileHeaders(site.frame)),
    failurePage: (failure, request) => failurePage(site, failure, request),
  };
};
