/** The showcase as a page and as feeds, and the forms that add a post to it and report one. */
import { reportReasons, type Post, type ProblemCode } from '@bot-directory/contract';
import {
  atom,
  emptyForm,
  jsonFeed,
  postFeed,
  type Feed,
  type FormState,
  type Frame,
  type ShowcaseFeedPath,
} from '@bot-directory/site';
import { timestamp } from '../base/time.ts';
import { parsePageQuery, type Paging } from '../directory/listing.ts';
import { handleOf } from '../domain/links.ts';
import type { Sendable } from '../http/problems.ts';
import type { BoundOperations } from '../operations/index.ts';
import type { ResourceRoute, State } from '../reads/resource.ts';
import { fieldOf, filled, refusedField, takeForm, type Refusal } from './form.ts';
import { atomType, fileHeaders, jsonFeedType, refusedQuery, sendablePage, type Site } from './site.ts';

const pageSize = 30;

/** A page of it. What it doesn't understand of its URL, it ignores. */
export const showcasePage: ResourceRoute<Site> = {
  path: '/feed',
  find: (site, { search }) => {
    const cursor = new URLSearchParams(search).get('cursor') ?? '';
    const result = parsePageQuery(new URLSearchParams({ cursor }));
    const paging: Paging = { limit: pageSize, after: result.ok ? result.value.after : undefined };
    return {
      query: paging,
      freshness: { of: 'directory', state: () => showcaseState(site) },
      make: () => showcaseView(site, {}, paging),
    };
  },
};

/** Reads the search part of a feed's URL. Failure: invalid_request. */
const pagingOf = (search: string): Paging => {
  const params = new URLSearchParams(search);
  params.delete('limit');
  const result = parsePageQuery(params);
  if (!result.ok) throw refusedQuery(result.errors);
  return { ...result.value, limit: feedSize };
};

/** Adds a post and redirects to the list, or shows the form again with the errors. */
export const showcaseForm = (site: Site, { addPost }: Pick<BoundOperations, 'addPost'>) =>
  takeForm(
    async (typed, context) => {
      await addPost.take(filled({ url: fieldOf(typed, 'url') }), context);
      return { redirectTo: '/feed#added' };
    },
    (refusal) => refusedView(site, { form: shownAt(refusal, 'post_exists') }),
    ['url'],
  );

/** Reports a post. */
export const postReportForm = (site: Site, { reportPost }: Pick<BoundOperations, 'reportPost'>) =>
  takeForm(
    async (typed, context) => {
      const names = ['url', 'reason', 'text'];
      await reportPost.take(filled(Object.fromEntries(names.map((name) => [name, fieldOf(typed, name)]))), context);
      return { redirectTo: '/feed#sent' };
    },
    (refusal) => refusedView(site, { report: shownAt(refusal, 'post_not_found') }),
    ['url'],
  );

/** The form with its failure, which is about the URL if it has this code. */
const shownAt = (refusal: Refusal, code: ProblemCode): FormState =>
  refusal.failure.code === code ? refusedField(refusal, '/url') : refusal.form;

const refusedView = async (site: Site, forms: Forms): Promise<Sendable> => {
  await site.directory.fresh().catch(() => undefined);
  return showcaseView(site, forms);
};

type Forms = { readonly form?: FormState; readonly report?: FormState };

const showcaseView = (
  site: Site,
  { form = emptyForm, report = emptyForm }: Forms,
  paging: Paging = { limit: pageSize, after: undefined },
): Sendable =>
  sendablePage(site, {
    page: 'showcase',
    isFirstPage: paging.after === undefined,
    ...postsOf(site, paging),
    ...site.directory.posts.placeOf(paging),
    form,
    report,
    reasons: reportReasons,
  });

/** The posts of a page, with the bots that they announce. */
const postsOf = ({ directory: { posts, bots } }: Site, paging: Paging) => {
  const { ordinals, segments, total, next } = posts.page(paging);
  const shown = Array.from(ordinals, (ordinal) => {
    const post = segments.parsed(ordinal) as Post;
    return {
      ...post,
      addedAt: timestamp(posts.stateOf(ordinal).changedAtMs),
      bots: bots.announcedBy(post.url),
      isByAuthor: bots.index.hasAuthor(handleOf(post.url)),
    };
  });
  return { posts: shown, total, next };
};

/** Returns the state of posts and bots: posts are shown with their bots. */
const showcaseState = ({ directory: { posts, bots } }: Site): State => ({
  version: `${posts.version}.${bots.version}`,
  changedAtMs: Math.max(posts.changedAtMs, bots.changedAtMs),
});

const feedSize = 50;

const showcaseFeed = (
  path: ShowcaseFeedPath,
  contentType: string,
  write: (frame: Frame, feed: Feed) => string,
): ResourceRoute<Site> => ({
  path,
  find: (site, { search }) => {
    const paging = pagingOf(search);
    return {
      query: paging,
      freshness: { of: 'directory', state: () => showcaseState(site) },
      make: () => {
        const { posts, next } = postsOf(site, paging);
        const cursor = new URLSearchParams(search).get('cursor') ?? undefined;
        const body = write(site.frame, postFeed(site.frame, { posts, cursor, next }, path));
        return { body, contentType, headers: fileHeaders({ isShared: true }) };
      },
    };
  },
});

/** The feeds of it, newest first. */
export const showcaseFeeds: readonly ResourceRoute<Site>[] = [
  showcaseFeed('/feed.atom', atomType, atom),
  showcaseFeed('/feed.json', jsonFeedType, jsonFeed),
];
