/** The reads of the site: its pages, feeds and files, as representations. */
import { createHash } from 'node:crypto';
import { contractVersion } from '@bot-directory/contract';
import { release, type Frame } from '@bot-directory/site';
import type { PageRead, PageRoute, PageState } from '../site/page-read.ts';
import type { Read, ReadRoute } from './reads.ts';
import { bodyOf, PlainRepresentation } from './representation.ts';
import { stampOf, type Stamp } from './stamp.ts';

/** What the reads need. `settings`: everything else that a page depends on. */
export type PageReadsDeps = {
  readonly pages: PageRoute;
  readonly settings: { readonly frame: Frame; readonly categories: readonly string[] } & object;
  readonly onError: (error: unknown) => void;
};

/** Makes the route of all reads. */
export const createPageReads = ({ pages, settings, onError }: PageReadsDeps): ReadRoute => {
  // Servers that would make different pages of the same state never give them the same tag.
  const form = createHash('sha256')
    .update(JSON.stringify([contractVersion, release, settings]))
    .digest('base64url')
    .slice(0, 8);
  return (path, search) => {
    const page = pages(path, search);
    return page === undefined ? undefined : readOf(page, form, onError);
  };
};

const unchanging: PageState = { version: '', changedAtMs: 0 };

const readOf = (page: PageRead, form: string, onError: (error: unknown) => void): Read => {
  let last: { readonly version: string; readonly stamp: Stamp } | undefined;
  return {
    key: `page ${page.key}`,
    isFixed: page.state === undefined,
    isSearch: page.isSearch === true,
    stamp: () => {
      const { version, changedAtMs } = page.state?.() ?? unchanging;
      if (last?.version !== version) last = { version, stamp: stampOf(`${form}.p.${version}`, changedAtMs) };
      return last.stamp;
    },
    make: async (stamp) => {
      const { body, contentType, headers } = await page.make();
      return new PlainRepresentation(stamp, bodyOf(Buffer.from(body)), { contentType, headers }, onError);
    },
  };
};
