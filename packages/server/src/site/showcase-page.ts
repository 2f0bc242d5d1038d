/** The showcase as a page. */
import type { Post } from '@bot-directory/contract';
import { emptyForm, type FormState } from '@bot-directory/site';
import { timestamp } from '../base/clock.ts';
import { parsePageQuery, type Paging } from '../domain/listing.ts';
import { refusedQuery } from './failures.ts';
import type { PageRead, Sendable } from './page-read.ts';
import { sendablePage, stateOfPosts, type Site } from './site.ts';

const pageSize = 30;

/** A page of it. Failure: invalid_request. */
export const showcasePage = (site: Site, search: string): PageRead => {
  const params = new URLSearchParams(search);
  params.delete('limit');
  const result = parsePageQuery(params);
  if (!result.ok) throw refusedQuery(result.errors);
  const paging = { ...result.value, limit: pageSize };
  return {
    key: `showcase ${JSON.stringify(paging)}`,
    state: () => stateOfPosts(site),
    make: () => showcaseWith(site, emptyForm, paging),
  };
};

/** The page with its form, as it was sent. */
export const showcaseWith = (
  site: Site,
  form: FormState,
  paging: Paging = { limit: pageSize, after: undefined },
): Sendable => {
  const { posts } = site.directory;
  const { ordinals, segments, total, next } = posts.page(paging);
  return sendablePage(site, {
    page: 'showcase',
    isOpen: site.isOpen,
    isFirstPage: paging.after === undefined,
    posts: Array.from(ordinals, (ordinal) => ({
      ...(JSON.parse(segments.json(ordinal).toString()) as Post),
      addedAt: timestamp(posts.stateOf(ordinal).changedAtMs),
    })),
    total,
    next,
    form,
  });
};
